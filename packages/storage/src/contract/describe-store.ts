import { compactionCases } from './compaction.ts';
import { inProcessWatchCases, remoteWatchCases } from './in-process.ts';
import { lifecycleCases } from './lifecycle.ts';
import { readCases } from './reads.ts';
import { restartCases } from './restart.ts';
import type { ContractCases, DriverTraits, StoreUnderTest } from './store-under-test.ts';
import { ttlCases } from './ttl.ts';
import { watchEndCases } from './watch-end.ts';
import { watchCases } from './watches.ts';
import { writeCases } from './writes.ts';

/** The functions of a test framework that the suite uses. Those of vitest, node:test and others fit. */
export interface SuiteTools {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Declares the tests that every driver must pass. Each test opens its own store and disposes of it. */
export function describeStore(
  name: string,
  { describe, it }: SuiteTools,
  traits: DriverTraits,
  open: () => Promise<StoreUnderTest>,
): void {
  const groups: Record<string, ContractCases> = {
    writes: writeCases,
    reads: readCases,
    watches: { ...watchCases, ...watchEndCases, ...(traits.inProcess ? inProcessWatchCases : remoteWatchCases) },
    compaction: compactionCases,
    'time to live': ttlCases,
    lifecycle: lifecycleCases,
    ...(traits.durable ? { restart: restartCases } : {}),
  };
  describe(`${name} keeps the contract of Store`, () => {
    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        for (const [sentence, run] of Object.entries(cases)) {
          it(sentence, async () => {
            const opened = await open();
            try {
              await run(opened);
            } finally {
              await opened.dispose();
            }
          });
        }
      });
    }
  });
}
