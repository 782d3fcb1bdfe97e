import type { Logger } from '@coxswain/client';
import type { Invocation } from '@coxswain/component-base/cli';
import { componentLogging } from '@coxswain/component-base/logs';
import type { CoxContext } from './context.ts';
import { globalFlags } from './global-flags.ts';

/** From that on, clients write down their requests; as kubectl. */
const requestsVerbosity = 6;

export const verbosityOf = (invocation: Invocation<CoxContext>): number => invocation.flags(globalFlags).v;

/** Where a client writes what it sends; undefined when nobody wants to know. */
export function clientLogger(invocation: Invocation<CoxContext>): Logger | undefined {
  const v = verbosityOf(invocation);
  if (v < requestsVerbosity) return undefined;
  const { terminal } = invocation.context;
  return componentLogging({ name: '', given: { v }, write: (line) => terminal.err(line), now: () => new Date() })
    .logger;
}
