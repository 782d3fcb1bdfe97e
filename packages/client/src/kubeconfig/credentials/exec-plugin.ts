import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { normalize, sep } from 'node:path';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import { errorCode, goFileError } from '../files.ts';
import type { ExecConfig } from '../kubeconfig.ts';
import type { Environment } from '../kubeconfig-files.ts';

/** The cluster information passed to a plug-in in KUBERNETES_EXEC_INFO. */
export interface ExecCluster {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** PEM in base64. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly config: unknown;
}

/** The failure of a plug-in's run. */
export class ExecPluginError extends Error {
  override readonly name = 'ExecPluginError';
  readonly kind: 'notFound' | 'cannotRun' | 'failed' | 'other';
  readonly exitCode: number | undefined;

  constructor(message: string, options: ErrorOptions & { kind: ExecPluginError['kind']; exitCode?: number }) {
    super(message, options);
    this.kind = options.kind;
    this.exitCode = options.exitCode;
  }
}

export interface ExecRun {
  readonly config: ExecConfig;
  readonly env: Environment;
  readonly interactive: boolean;
  readonly cluster: ExecCluster | undefined;
  /** Receives the plug-in's standard error; inherited if undefined. */
  readonly onStderr?: ((text: Uint8Array) => void) | undefined;
  readonly signal: AbortSignal;
}

/** Far larger than any certificate. */
const maxOutputBytes = 4 * 1024 * 1024;

/** Runs a credential plug-in and resolves with what it prints. Rejects with an ExecPluginError in client-go's words. */
export function runExecPlugin({ config, env, interactive, cluster, onStderr, signal }: ExecRun): Promise<string> {
  const command = normalize(config.command ?? '');
  const spec = { ...(cluster && { cluster }), interactive };
  const info = { kind: 'ExecCredential', apiVersion: config.apiVersion, spec };
  const variables = Object.fromEntries((config.env ?? []).map(({ name = '', value = '' }) => [name, value]));
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...(config.args ?? [])], {
      env: { ...env, ...variables, KUBERNETES_EXEC_INFO: `${writeJson(info)}\n` },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', onStderr ? 'pipe' : 'inherit'],
      windowsHide: true,
      signal,
    });
    const output: Buffer[] = [];
    let size = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxOutputBytes) output.push(chunk);
      else child.kill('SIGKILL');
    });
    if (onStderr) child.stderr?.on('data', onStderr);
    child.on('error', (cause) => reject(startError(command, cause)));
    child.on('close', (code, killedBy) => {
      if (size > maxOutputBytes) {
        const message = `exec: executable ${command} printed more than ${maxOutputBytes} bytes`;
        return reject(new ExecPluginError(message, { kind: 'other' }));
      }
      if (code === 0) return resolve(Buffer.concat(output).toString());
      const exitCode = code ?? -1;
      const message = `exec: executable ${command} failed with exit code ${exitCode}`;
      const cause = killedBy && `${killedBy} (${constants.signals[killedBy]})`;
      reject(new ExecPluginError(message, { kind: 'failed', exitCode, cause }));
    });
  });
}

function startError(command: string, cause: Error): ExecPluginError {
  const code = errorCode(cause);
  if (code === 'ENOENT' && !command.includes(sep))
    return new ExecPluginError(`exec: executable ${command} not found`, { kind: 'notFound', cause });
  if (code === undefined) return new ExecPluginError(`exec: ${cause.message}`, { kind: 'other', cause });
  const { message } = goFileError('fork/exec', command, cause);
  return new ExecPluginError(`exec: ${message}`, { kind: 'cannotRun', cause });
}
