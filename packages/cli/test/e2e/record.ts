/**
 * Records the output of the transcripts' commands with a real kube-apiserver: KUBECONFIG must be the kubeconfig of an unused server of
 * v1.36.4, started with the flags in `cox-apiserver.ts` and `--authorization-mode=Node,RBAC`.
 *
 *     npx tsx packages/cli/test/e2e/record.ts [transcript…]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Shell } from './shell.ts';
import { formatTranscript, parseTranscript, type Step } from './transcript.ts';

const kubeconfig = process.env.KUBECONFIG;
if (!kubeconfig) throw new Error('KUBECONFIG must name the kubeconfig of a real kube-apiserver');

const folder = new URL('transcripts/', import.meta.url);
const named = process.argv.slice(2).map((name) => `${name}.txt`);
for (const name of named.length > 0 ? named : readdirSync(folder)) {
  const file = new URL(name, folder);
  const shell = new Shell(kubeconfig);
  const steps: Step[] = [];
  for (const step of parseTranscript(readFileSync(file, 'utf8')).steps) {
    steps.push({ ...step, output: await shell.run(step.command) });
  }
  shell.close();
  writeFileSync(file, formatTranscript({ steps }));
}
