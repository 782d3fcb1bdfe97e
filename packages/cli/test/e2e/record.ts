import { readFileSync, writeFileSync } from 'node:fs';
import { Shell } from './shell.ts';
import { formatTranscript, parseTranscript, type Step } from './transcript.ts';

/* Writes what commands print when a real kube-apiserver (that of KUBECONFIG) answers into the transcripts that are named. */

const kubeconfig = process.env.KUBECONFIG;
if (!kubeconfig) {
  throw new Error('KUBECONFIG must name the kubeconfig of a real kube-apiserver that nobody has used yet');
}
for (const name of process.argv.slice(2)) {
  const file = new URL(`transcripts/${name}.txt`, import.meta.url);
  const shell = new Shell(kubeconfig);
  const steps: Step[] = [];
  for (const step of parseTranscript(readFileSync(file, 'utf8')).steps) {
    steps.push({ ...step, output: await shell.run(step.command) });
  }
  shell.close();
  writeFileSync(process.env.OUT ? `${process.env.OUT}/${name}.txt` : file, formatTranscript({ steps }));
}
