/** Which of the app's functions this host serves; what it leaves out, it names. */
import type { BindingInfo } from "./app/core-types.js";
import { hostedFunction, type HostedFunction } from "./app/hosted-function.js";
import type { LoadedApp } from "./app/loader.js";
import type { HostLog } from "./app/log.js";
import { durableKind } from "./durable-functions.js";
import { isHttpTrigger } from "./http/route.js";
import { isServedOutput } from "./service-bus/output-bindings.js";
import { isServiceBusTrigger } from "./service-bus/triggers.js";
import type { HostConfig } from "./settings/host-config.js";
import { isTimerTrigger } from "./timers/triggers.js";

const isDisabled = (fn: HostedFunction, settings: Readonly<Record<string, string>>): boolean =>
  /^(true|1)$/i.test(settings[`AzureWebJobs.${fn.name}.Disabled`] ?? "");

export const isDurableClient = (binding: BindingInfo): boolean =>
  /^(durable|orchestration)client$/i.test(binding.type);

const isServed = (fn: HostedFunction): boolean =>
  isHttpTrigger(fn) ||
  isTimerTrigger(fn) ||
  isServiceBusTrigger(fn) ||
  durableKind(fn) !== undefined;

/** Functions that this host can serve; what it leaves out, it names. */
export const servedFunctions = (
  app: LoadedApp,
  config: HostConfig,
  log: HostLog,
): HostedFunction[] => {
  const all = app.functions.flatMap((registered) => hostedFunction(registered) ?? []);
  return all.filter((fn) => {
    if (isDisabled(fn, config.settings)) return false;
    if (!isServed(fn))
      log.host("warning", "Startup", `${fn.name}: no trigger of type ${fn.trigger.type} here.`);
    for (const { binding } of fn.inputs)
      if (!isDurableClient(binding))
        log.host("warning", "Startup", `${fn.name}: no input of type ${binding.type} here.`);
    for (const { binding } of fn.outputs)
      if (!isServedOutput(binding))
        log.host("warning", "Startup", `${fn.name}: no output of type ${binding.type} here.`);
    return isServed(fn);
  });
};

export const usesDurable = (functions: readonly HostedFunction[]): boolean =>
  functions.some(
    (fn) =>
      durableKind(fn) !== undefined || fn.inputs.some(({ binding }) => isDurableClient(binding)),
  );
