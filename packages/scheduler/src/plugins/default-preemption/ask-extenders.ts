import type { Pod } from '@coxswain/api/core/v1';
import type { Victims } from '../../framework/extender.ts';
import type { Handle } from '../../framework/handle.ts';
import { Status } from '../../framework/status.ts';
import { Candidate } from './candidates.ts';

/** Returns the candidates that remain after all extenders with preemption support, or an error status. */
export async function askExtenders(
  handle: Pick<Handle, 'extenders' | 'snapshot' | 'logger'>,
  pod: Pod,
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<readonly Candidate[] | Status> {
  const asked = handle.extenders.filter((extender) => extender.supportsPreemption && extender.isInterested(pod));
  if (asked.length === 0) return candidates;
  const nodes = handle.snapshot();
  let left: ReadonlyMap<string, Victims> = new Map(candidates.map((candidate) => [candidate.nodeName, candidate]));
  for (const extender of asked) {
    if (left.size === 0) break;
    try {
      const answer = await extender.processPreemption(pod, left, (name) => nodes.get(name), signal);
      for (const [nodeName, { pods }] of answer) {
        if (pods.length > 0) continue;
        if (!extender.isIgnorable) throw new Error(`expected at least one victim pod on node "${nodeName}"`);
        answer.delete(nodeName);
      }
      left = answer;
    } catch (error) {
      if (!extender.isIgnorable) return Status.failed(error);
      handle.logger.warn('Skipped extender as it returned error and has ignorable flag set', {
        extender: extender.name,
        err: error,
      });
    }
  }
  return [...left].map(([nodeName, victims]) => new Candidate(nodeName, victims));
}
