import type { Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const create = (changes: Record<string, unknown>): Case => ({ create: 'class', change: edit(changes) });
const update = (changes: Record<string, unknown>): Case => ({ update: 'class', change: edit(changes) });
const gpu = { key: 'gpu', operator: 'Equal', value: 'a', effect: 'NoExecute' };

export const suite: CaseSuite = {
  bases: {
    class: {
      object: {
        apiVersion: 'node.k8s.io/v1',
        kind: 'RuntimeClass',
        metadata: { name: 'cases-class' },
        handler: 'runc',
      },
    },
  },
  cases: {
    'a class needs a handler only': create({}),
    'overhead and scheduling are kept': create({
      'overhead.podFixed': { cpu: '0.0001', memory: '64Mi' },
      scheduling: { nodeSelector: { a: 'b' }, tolerations: [gpu, { ...gpu, value: 'b', tolerationSeconds: 5 }] },
    }),
    'a class without a handler is refused': create({ handler: undefined }),
    'a bad handler is refused': create({ handler: 'Run.C' }),
    'empty overhead is taken': create({ overhead: {}, scheduling: {} }),
    'negative overhead is refused': create({ 'overhead.podFixed': { cpu: '-1' } }),
    'overhead of what containers do not have is refused': create({ 'overhead.podFixed': { storage: '1Gi' } }),
    'overhead of a bad name is refused': create({ 'overhead.podFixed': { 'a b': '1' } }),
    'parts of huge pages are refused': create({ 'overhead.podFixed': { 'hugepages-2Mi': '3Mi' } }),
    'huge pages alone are refused': create({ 'overhead.podFixed': { 'hugepages-2Mi': '2Mi' } }),
    'bad scheduling is refused': create({
      scheduling: {
        nodeSelector: { 'a b': 'c d' },
        tolerations: [
          gpu,
          { ...gpu, tolerationSeconds: 7 },
          { key: 'x', operator: 'Gt', value: '1' },
          { operator: 'Is' },
          {},
        ],
      },
    }),
    'old labels of nodes cause warnings': create({ 'scheduling.nodeSelector': { 'beta.kubernetes.io/os': 'linux' } }),
    'the handler cannot change': update({ handler: 'other', 'metadata.labels': { 'a b': '' } }),
    'overhead can change, with a warning': update({
      'overhead.podFixed': { cpu: '1' },
      'scheduling.nodeSelector': { 'beta.kubernetes.io/arch': 'x' },
    }),
    'a class is shown': { table: 'class' },
  },
};
