import type { Invocation } from '@coxswain/component-base/cli';
import type { CoxContext } from './context.ts';
import { globalFlags } from './global-flags.ts';
import { newLogger, type ServerLogger } from './server-process.ts';

/** From that on, clients write down their requests; as kubectl. */
const requestsVerbosity = 6;

export const verbosityOf = (invocation: Invocation<CoxContext>): number => invocation.flags(globalFlags).v;

/** Where a client writes what it sends; undefined when nobody wants to know. */
export const clientLogger = (invocation: Invocation<CoxContext>): ServerLogger | undefined =>
  verbosityOf(invocation) >= requestsVerbosity ? newLogger(invocation.context.terminal, () => new Date()) : undefined;
