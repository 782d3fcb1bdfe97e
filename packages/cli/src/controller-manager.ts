import {
  controllerManagerFlags,
  controllerManagerHelp,
  parseControllerManagerOptions,
  runControllerManager,
} from '@coxswain/controllers';
import { componentBody } from './commands/component-body.ts';
import { runComponent } from './component-command.ts';
import type { Terminal } from './main.ts';
import type { ServerProcess } from './server-process.ts';

/** `cox controller-manager`: kube-controller-manager, with its flags. */
export function controllerManager(
  args: readonly string[],
  terminal: Terminal,
  process: ServerProcess,
): Promise<number> {
  const component = {
    name: 'kube-controller-manager',
    command: 'cox controller-manager',
    started: 'controllers are running',
    parse: parseControllerManagerOptions,
    help: controllerManagerHelp,
    run: runControllerManager,
  };
  return runComponent(component, args, terminal, process);
}

export const controllerManagerCommand = componentBody(controllerManager, controllerManagerFlags);
