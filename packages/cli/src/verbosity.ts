import type { Logger } from '@coxswain/client';
import type { Invocation } from '@coxswain/component-base/cli';
import { componentLogging } from '@coxswain/component-base/logs';
import type { CoxContext } from './context.ts';
import { globalFlags } from './global-flags.ts';

/** The verbosity from which clients log their requests, as kubectl. */
const requestsVerbosity = 6;

export const verbosityOf = (invocation: Invocation<CoxContext>): number => invocation.flags(globalFlags).v;

/** Returns the logger for a client's requests; undefined below the verbosity. */
export function clientLogger(invocation: Invocation<CoxContext>): Logger | undefined {
  const v = verbosityOf(invocation);
  if (v < requestsVerbosity) return undefined;
  const { terminal } = invocation.context;
  return componentLogging({ name: '', given: { v }, write: (line) => terminal.err(line), now: () => new Date() })
    .logger;
}
