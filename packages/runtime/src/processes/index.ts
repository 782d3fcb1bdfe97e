export { attachCommand, execDetachedCommand, execWithTerminalCommand, forwardCommand } from './helper-programs.ts';
export type { PipeReader } from './pipe-reader.ts';
export type { PipeWriter } from './pipe-writer.ts';
export { ProcessLauncher, readPidFile } from './process-launcher.ts';
