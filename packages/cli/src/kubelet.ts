import { kubeletFlags, kubeletHelp, parseKubeletOptions, runKubelet } from '@coxswain/kubelet/program';
import { componentBody } from './commands/component-body.ts';
import { runComponent } from './component-command.ts';
import type { Terminal } from './main.ts';
import type { ServerProcess } from './server-process.ts';

/** `cox kubelet`: the node agent, with kubelet's flags. */
export function kubelet(args: readonly string[], terminal: Terminal, process: ServerProcess): Promise<number> {
  const component = {
    name: 'kubelet',
    command: 'cox kubelet',
    started: 'the kubelet is running',
    parse: parseKubeletOptions,
    help: kubeletHelp,
    run: runKubelet,
  };
  return runComponent(component, args, terminal, process);
}

export const kubeletCommand = componentBody(kubelet, kubeletFlags);
