/**
 * Access to pods through the API server: running commands (`exec`), attaching to processes (`attach`), reading logs
 * (`podLogs`, `followLogs`), connecting to ports (`openPortForward`). All of these work in browsers. Local ports,
 * copying files and Node's streams are in `remote/node`.
 */
export { type AttachOptions, attach } from './attach.ts';
export type { ByteSink, ByteSource } from './byte-streams.ts';
export { type CommandResult, RemoteCommandError } from './command-status.ts';
export { type ExecOptions, type ExecOutput, exec, execOutput } from './exec.ts';
export { type FollowLogsOptions, followLogs } from './follow-logs.ts';
export {
  type ForwardedStream,
  type PortForwardConnection,
  PortForwardError,
  type PortForwardTarget,
} from './forwarded-stream.ts';
export type { LogLine } from './log-position.ts';
export { type PodLogsOptions, podLogLines, podLogs } from './logs.ts';
export type { PodTarget, RemoteClient } from './pod-target.ts';
export { openPortForward } from './port-forward.ts';
export type { CommandStreams, TerminalSize } from './remote-command.ts';
export { SpdyConnection } from './spdy/connection.ts';
export type { SpdyStream } from './spdy/stream.ts';
export { TarError } from './tar/header.ts';
