/** The outage error: a part of the platform that the app depends on does not answer at the moment. */
import { OutageError } from "./outage.js";

/** Thrown for outages only; an endpoint answers it with 503, a broker handler lets it be retried. */
export class DependencyUnavailableError extends OutageError {
  override readonly name = "DependencyUnavailableError";
  readonly dependency: string;

  constructor(dependency: string, cause?: unknown) {
    super(`${dependency} is not available`, { cause });
    this.dependency = dependency;
  }
}
