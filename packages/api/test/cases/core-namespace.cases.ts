import type { Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const namespace = (changes: Record<string, unknown> = {}): Case => ({ create: 'namespace', change: edit(changes) });
const update = (changes: Record<string, unknown>, subresource?: string): Case => ({
  update: 'kept',
  change: edit(changes),
  ...(subresource && { subresource }),
});

export const suite: CaseSuite = {
  bases: {
    namespace: { object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cases-made' } } },
    kept: { object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cases-kept' } } },
  },
  cases: {
    'a namespace gets a label and a finalizer': namespace(),
    'the label is always the name': namespace({
      'metadata.labels[kubernetes.io/metadata.name]': 'other',
      'metadata.labels[a]': 'b',
    }),
    'finalizers stay': namespace({ 'spec.finalizers': ['example.com/x', 'kubernetes'] }),
    'the finalizer is added': namespace({ 'spec.finalizers': ['example.com/x', 'orphan'] }),
    'finalizers are known or qualified': namespace({ 'spec.finalizers': ['x', 'a b', ''] }),
    'the phase of a new namespace is fixed': namespace({ 'status.phase': 'Terminating' }),
    'a name is a DNS label': namespace({ 'metadata.name': 'a.b' }),
    'labels can be changed': update({ 'metadata.labels': { a: 'b' } }),
    'finalizers and status are not changed by the namespace': update({
      'spec.finalizers': ['example.com/x'],
      'status.phase': 'Terminating',
    }),
    'finalizers are changed by themselves': update(
      { 'spec.finalizers': ['example.com/x'], 'status.phase': 'Terminating' },
      'finalize',
    ),
    'finalizers may go': update({ 'spec.finalizers': [] }, 'finalize'),
    'finalizers are judged one by one': update({ 'spec.finalizers': ['kubernetes', 'x', 'a b'] }, 'finalize'),
    'a namespace that is not deleted is active': update({ 'status.phase': 'Terminating' }, 'status'),
    'conditions can be written': update(
      {
        'status.conditions': [{ type: 'A', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
        'spec.finalizers': ['example.com/x'],
      },
      'status',
    ),
    'labels are judged': update({ 'metadata.labels': { a: '-' } }),
    'labels are judged with the status': update({ 'metadata.labels': { a: '-' } }, 'status'),
    'a namespace is printed': { table: 'kept' },
  },
};
