/** An indexer used directly: it finds objects by their contents, without searching all of them. `npx tsx examples/indexer/main.ts` */
import { pathToFileURL } from 'node:url';
import type { Pod } from '@coxswain/api/core/v1';
import { Indexer, metaNamespaceIndex } from '@coxswain/client/informers';

const pod = (namespace: string, name: string, nodeName: string): Pod => ({
  metadata: { namespace, name },
  spec: { nodeName, containers: [] },
});

export function run(): string[] {
  const indexer = new Indexer<Pod>({
    indexers: {
      byNamespace: metaNamespaceIndex,
      byNodeName: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []),
    },
  });
  for (const it of [pod('default', 'a', 'node1'), pod('default', 'b', 'node2'), pod('kube-system', 'c', 'node2')]) {
    indexer.add(it);
  }
  const names = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata.name).join(', ');
  const lines = [
    `in default: ${names(indexer.byIndex('byNamespace', 'default'))}`,
    `on node2: ${names(indexer.byIndex('byNodeName', 'node2'))}`,
    `keys on node2: ${indexer.indexKeys('byNodeName', 'node2').join(', ')}`,
    `nodes with pods: ${indexer.listIndexFuncValues('byNodeName').join(', ')}`,
  ];
  indexer.update(pod('default', 'b', 'node1'));
  indexer.delete(pod('kube-system', 'c', 'node2'));
  lines.push(`on node1, after b moved there: ${names(indexer.byIndex('byNodeName', 'node1'))}`);
  lines.push(`nodes with pods, after c is gone: ${indexer.listIndexFuncValues('byNodeName').join(', ')}`);
  return lines;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(run().join('\n'));
