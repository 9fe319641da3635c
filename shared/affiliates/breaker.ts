/** Spares everybody an affiliate that does not answer: it is asked only now and then, until it does again. */

/** One call that may be made; whoever makes it says how it went. */
export interface Admission {
  /** The only call for now: it shows whether the affiliate is back. */
  readonly isProbe: boolean;
  readonly heard: () => void;
  readonly silent: (reason: string) => void;
}

export interface Breaker {
  /** Undefined: it is not asked now. */
  readonly admit: () => Admission | undefined;
}

export interface BreakerOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number;
  readonly onOpen: (reason: string) => void;
  readonly onClose: () => void;
}

/** So many calls one after the other without an answer. */
const silentMax = 10;
const restMs = 1_000;
const restMsMax = 5_000;

export const breaker = ({ nowMs, onOpen, onClose }: BreakerOptions): Breaker => {
  let silent = 0;
  let rest = restMs;
  /** Undefined: everybody may call. */
  let openUntilMs: number | undefined;
  let isProbing = false;

  const open = (): void => {
    openUntilMs = nowMs() + rest;
    rest = Math.min(rest * 2, restMsMax);
  };

  const heard = (): void => {
    silent = 0;
    rest = restMs;
    if (openUntilMs === undefined) return;
    openUntilMs = undefined;
    onClose();
  };

  return {
    admit: () => {
      if (openUntilMs === undefined)
        return {
          isProbe: false,
          heard,
          silent: (reason) => {
            silent += 1;
            if (silent < silentMax || openUntilMs !== undefined) return;
            open();
            onOpen(reason);
          },
        };
      if (isProbing || nowMs() < openUntilMs) return undefined;
      isProbing = true;
      return {
        isProbe: true,
        heard: () => {
          isProbing = false;
          heard();
        },
        silent: () => {
          isProbing = false;
          open();
        },
      };
    },
  };
};
