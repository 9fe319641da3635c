/** The text that a failed activity leaves in the history: the service's own wording of a worker's exception. */
import { errorMessage } from "./protocol.js";

const frameLine = /^\s+at /u;

/** The frames of a JavaScript stack, indented as those of the service are. */
export const stackFrames = (stack: string | undefined): string =>
  (stack ?? "")
    .split("\n")
    .filter((line) => frameLine.test(line))
    .map((line) => line.replace(/^\s+/u, "   "))
    .join("\n");

/** The number by which .NET knows an exception of no particular kind. */
const generalError = -2146233088;

/**
 * Code that looks into a caught error's message, or a monitor that reads histories, finds in it
 * what it finds in the cloud: the exception of the host, around the one of the worker.
 */
export const exceptionText = (error: unknown, message = errorMessage(error)): string => {
  const { stack = message } = error instanceof Error ? error : new Error(message);
  return JSON.stringify({
    $type: "System.Exception, System.Private.CoreLib",
    ClassName: "System.Exception",
    Message: ` ${message}`,
    Data: null,
    InnerException: {
      $type:
        "Microsoft.Azure.WebJobs.Script.Workers.Rpc.RpcException, Microsoft.Azure.WebJobs.Script",
      IsUserException: false,
      RemoteStackTrace: stack,
      RemoteMessage: message,
      RemoteTypeName: null,
      Message: `Result: Failure\nException: ${message}\nStack: ${stack}`,
      Data: { $type: "System.Collections.ListDictionaryInternal, System.Private.CoreLib" },
      InnerException: null,
      HelpLink: null,
      Source: "System.Private.CoreLib",
      HResult: generalError,
      StackTrace: stackFrames(stack),
    },
    HelpURL: null,
    StackTraceString: null,
    RemoteStackTraceString: null,
    RemoteStackIndex: 0,
    ExceptionMethod: null,
    HResult: generalError,
    Source: null,
    WatsonBuckets: null,
  });
};
