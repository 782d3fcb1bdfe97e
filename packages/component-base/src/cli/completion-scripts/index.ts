import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

/** What a shell evaluates in order to complete the command lines of a program, by the name of the shell. */
export const completionScripts: ReadonlyMap<string, (program: string) => string> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
  ['powershell', powershellScript],
]);
