/** The local functions host: loads one built app in this process and serves its triggers. */
import type { Pool } from "pg";
import type { LocalClock } from "../clock.js";
import type { DurableFunctions } from "../durable/protocol/functions.js";
import type { EngineSettings } from "../durable/settings.js";
import type { WorkLog } from "../durable/turns/work-log.js";
import type { HttpAnswer, HttpCall } from "../durable/api/answer.js";
import { answerInProcess } from "./app/in-process-client.js";
import { loadApp, type LoadedApp } from "./app/loader.js";
import { hostVersion } from "./app/core-api.js";
import type { BindingInfo, TypedData } from "./app/core-types.js";
import { durableFunctions } from "./durable-functions.js";
import { engineSettings } from "./engine-settings.js";
import { functionList } from "./function-list.js";
import { functionKeys, type FunctionKeys } from "./http/function-keys.js";
import { readHostConfig, type HostConfig } from "./settings/host-config.js";
import { bodyBytesMax } from "./http/request.js";
import { listenHttp, type HttpServer } from "./http/server.js";
import { writeEmpty, writeFailure } from "./http/response.js";
import { HttpTriggers } from "./http/trigger.js";
import {
  isReservedPath,
  isSpareablePath,
  serveInternal,
  type ClockMoved,
  type HostStatus,
} from "./http/internal-routes.js";
import type { HostedFunction } from "./app/hosted-function.js";
import { Invoker } from "./app/invoke.js";
import { HostLog, writeJsonLine, type LogSink } from "./app/log.js";
import { errorText } from "../failures.js";
import { isDurableClient, servedFunctions, usesDurable } from "./served-functions.js";
import { outputSender } from "./service-bus/output-bindings.js";
import { ServiceBusConnections } from "./service-bus/connections.js";
import { ServiceBusTriggers } from "./service-bus/triggers.js";
import { SoleHost } from "./timers/sole-host.js";
import { timerStatusStore, type TimerStatusStore } from "./timers/status.js";
import { withTimeLimit } from "./app/time-limit.js";
import { TimerTriggers } from "./timers/triggers.js";

/** What the host needs of a durable engine. */
export interface DurableEngine {
  /** The JSON text that the durable client binding hands to a function. */
  clientBinding(): string;
  /** Null where the address is none of its API. */
  handleHttp(call: HttpCall): Promise<HttpAnswer | null>;
  /** Waits until nothing is left to do, at most `timeoutMs`; the number of instances that moved. */
  settle(timeoutMs: number): Promise<number>;
  /** How many messages and instances are set aside, for a person to look at. */
  readonly setAside: number;
  stop(): Promise<void>;
}

export interface DurableEngineOptions {
  readonly pool: Pool;
  readonly hub: string;
  readonly functions: DurableFunctions;
  readonly clock: LocalClock;
  readonly baseUrl: string;
  readonly key: string;
  readonly settings: EngineSettings;
  readonly log: WorkLog;
}

export interface HostOptions {
  readonly appDirectory: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly host?: string;
  readonly pool: Pool;
  readonly clock: LocalClock;
  /** Win over the environment and local.settings.json. */
  readonly settings: Readonly<Record<string, string>>;
  readonly log?: LogSink;
  startEngine(options: DurableEngineOptions): Promise<DurableEngine>;
}

export interface Host {
  readonly port: number;
  readonly url: string;
  /** A line for each function. */
  functionList(): string[];
  status(): HostStatus;
  stop(): Promise<void>;
}

const settleTimeoutMs = 10_000;
const drainTimeoutMs = 10_000;

/** What the app's modules read while they load: settings, and the address that this host has. */
const exportEnvironment = (settings: Readonly<Record<string, string>>, address: string): void => {
  const noProxy = [process.env["NO_PROXY"], "localhost,127.0.0.1"].filter(Boolean).join(",");
  Object.assign(process.env, {
    AZURE_FUNCTIONS_ENVIRONMENT: "Development",
    FUNCTIONS_WORKER_RUNTIME: "node",
    ...settings,
    WEBSITE_HOSTNAME: address,
    NO_PROXY: noProxy,
    no_proxy: noProxy,
  });
};

/** Everything that runs for one app, in the order in which it is taken down again. */
class AppHost implements Host {
  readonly port: number;
  readonly url: string;
  readonly #options: HostOptions;
  readonly #config: HostConfig;
  readonly #keys: FunctionKeys;
  readonly #log: HostLog;
  readonly #server: HttpServer;
  readonly #app: LoadedApp;
  readonly #functions: readonly HostedFunction[];
  readonly #invoker: Invoker;
  readonly #connections: ServiceBusConnections;
  readonly #timers: TimerTriggers;
  readonly #bus: ServiceBusTriggers;
  readonly #http: HttpTriggers;
  #engineStarted: Promise<DurableEngine> | undefined;
  #engine: DurableEngine | undefined;
  /** Ends what is answered in memory. */
  #leave: (() => void) | undefined;
  #state: HostStatus["state"] = "Starting";

  constructor(
    options: HostOptions,
    config: HostConfig,
    log: HostLog,
    server: HttpServer,
    app: LoadedApp,
  ) {
    const { settings } = config;
    const { clock } = options;
    this.#options = options;
    this.#config = config;
    this.#log = log;
    this.#server = server;
    this.#app = app;
    this.port = server.port;
    this.url = `http://${options.host ?? "127.0.0.1"}:${server.port}`;
    this.#functions = servedFunctions(app, config, log);
    const functions = this.#functions;
    const invoker = new Invoker(app, log, config.functionTimeoutMs, this.#inputValue);
    this.#invoker = invoker;
    this.#connections = new ServiceBusConnections(settings, log);
    const sendOutputs = outputSender(this.#connections, settings);
    const shared = { functions, invoker, log, settings, sendOutputs };
    this.#keys = functionKeys(settings);
    const { routePrefix, customHeaders } = config;
    this.#http = new HttpTriggers({
      ...shared,
      app,
      keys: this.#keys,
      routePrefix,
      customHeaders,
      bodyBytesMax: bodyBytesMax(settings),
    });
    this.#timers = new TimerTriggers(functions, {
      ...shared,
      clock,
      status: this.#timerStatus,
      soleHost: new SoleHost(options.pool, config.hubName),
    });
    this.#bus = new ServiceBusTriggers({
      ...shared,
      connections: this.#connections,
      config: config.serviceBus,
    });
  }

  async start(): Promise<void> {
    if (usesDurable(this.#functions)) {
      this.#engineStarted = this.#startEngine();
      this.#engine = await this.#engineStarted;
    }
    const durable = async (call: HttpCall): Promise<HttpAnswer | null> =>
      (await this.#engine?.handleHttp(call)) ?? null;
    this.#leave = answerInProcess(this.#app.directory, this.url, durable);
    const routes = {
      keys: this.#keys,
      customHeaders: this.#config.customHeaders,
      status: () => this.status(),
      moveClock: () => this.#moveClock(),
      runTimer: (name: string) => this.#timers.run(name),
      durable,
    };
    this.#server.serve((req, res) => {
      const url = req.url ?? "";
      const internal = (): void => {
        serveInternal(routes, req, res).catch((error: unknown) => {
          this.#log.host("error", "Http", errorText(error));
          writeFailure(res, true);
        });
      };
      if (isReservedPath(url)) internal();
      else
        this.#http.handle(req, res, () =>
          isSpareablePath(url) ? internal() : writeEmpty(res, 404, this.#config.customHeaders),
        );
    });
    this.#state = "Running";
    await this.#timers.start();
    await this.#bus.start();
  }

  functionList(): string[] {
    return functionList(this.#functions, this.url, this.#config.routePrefix);
  }

  status(): HostStatus {
    return {
      state: this.#state,
      version: hostVersion,
      functions: this.#functions.length,
      port: this.port,
      running: this.#invoker.runningCount,
      setAside: this.#engine?.setAside ?? 0,
    };
  }

  async stop(): Promise<void> {
    if (this.#state === "Stopping") return;
    this.#state = "Stopping";
    this.#timers.stop();
    await Promise.all([this.#bus.stop(), this.#server.stop(drainTimeoutMs)]);
    const drainedBy = Date.now() + drainTimeoutMs;
    await this.#engine?.stop();
    // Not sooner: what is in work has its own calls of the engine answered until it has ended.
    this.#leave?.();
    // An activity that the engine has waited for in vain is not waited for twice.
    await this.#invoker.drain(Math.max(0, drainedBy - Date.now()));
    await this.#timers.release();
    await this.#terminateApp();
    await this.#connections.close();
  }

  /** The app's own ends are waited for as long as the genuine host waits for them. */
  async #terminateApp(): Promise<void> {
    const { hooks, directory } = this.#app;
    try {
      const ended = hooks.runApp("appTerminate", directory);
      await withTimeLimit(drainTimeoutMs, "The app's end", ended);
    } catch (error) {
      this.#log.host("error", "Shutdown", errorText(error));
    }
  }

  #startEngine(): Promise<DurableEngine> {
    const { pool, clock } = this.#options;
    return this.#options.startEngine({
      pool,
      clock,
      hub: this.#config.hubName,
      functions: durableFunctions(this.#functions, this.#invoker, async () => this.#engineStarted),
      baseUrl: this.url,
      key: this.#keys.durableKey,
      settings: engineSettings(this.#config.durable),
      log: (level, name, message) => this.#log.work(level, name, message),
    });
  }

  readonly #inputValue = (binding: BindingInfo): TypedData | null =>
    isDurableClient(binding) && this.#engine !== undefined
      ? { string: this.#engine.clientBinding() }
      : null;

  #store: Promise<TimerStatusStore> | undefined;
  readonly #timerStatus = (): Promise<TimerStatusStore> =>
    (this.#store ??= timerStatusStore(this.#options.pool, this.#config.hubName));

  /** Reads the sandbox clock again and waits for what that makes due. */
  async #moveClock(): Promise<ClockMoved> {
    const { clock } = this.#options;
    await clock.reload();
    await this.#timers.idle();
    const flowsRun = (await this.#engine?.settle(settleTimeoutMs)) ?? 0;
    return { now: new Date(clock.now()).toISOString(), flowsRun };
  }
}

/**
 * The port is taken before the app is loaded, because the app asks for its own address while it
 * loads; requests that come meanwhile wait. An app that does not load leaves nothing behind.
 */
export const startHost = async (options: HostOptions): Promise<Host> => {
  const config = await readHostConfig(options.appDirectory, options.settings);
  const log = new HostLog(options.log ?? writeJsonLine, config.logLevels);
  const address = options.host ?? "127.0.0.1";
  const server = await listenHttp(options.port, address);
  let host: AppHost | undefined;
  try {
    exportEnvironment(config.settings, `${address}:${server.port}`);
    const app = await loadApp(options.appDirectory, log);
    host = new AppHost(options, config, log, server, app);
    await host.start();
    return host;
  } catch (error) {
    // What has begun holds connections of a pool that is not ours: its owner would wait for them in vain.
    await (host === undefined ? server.stop(0) : host.stop());
    throw error;
  }
};
