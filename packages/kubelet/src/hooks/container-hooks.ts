import type { ExecAction, HTTPGetAction, LifecycleHandler } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { type Clock, sleep } from '@coxswain/client';
import type { RuntimeService } from '@coxswain/cri';
import { HttpGetError, httpGet } from '../actions/http-get.ts';
import { type HttpGetRequest, httpGetRequest } from '../actions/http-get-request.ts';
import { runInContainer } from '../actions/run-in-container.ts';
import { podText } from '../pods/pod-events.ts';
import { type Hook, HookCommandError, type HookRunner } from './hook-runner.ts';

export interface ContainerHooksOptions {
  readonly service: Pick<RuntimeService, 'execSync' | 'listContainers' | 'podSandboxStatus'>;
  readonly clock: Clock;
}

const requestTimeoutMs = 120_000;

/**
 * Runs the hooks of real containers: commands in them, and requests from the node's network. A hook has no time limit of its own; the caller's
 * signal ends it.
 */
export class ContainerHooks implements HookRunner {
  readonly #options: ContainerHooksOptions;

  constructor(options: ContainerHooksOptions) {
    this.#options = options;
  }

  async run(hook: Hook, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const { handler } = hook;
    if (handler.exec) return await this.#exec(handler.exec, hook, signal);
    if (handler.httpGet) return await this.#httpGet(handler.httpGet, hook, signal);
    if (handler.sleep) return await this.#sleep(Number(handler.sleep.seconds ?? 0), signal);
    throw new Error(`invalid handler: ${handlerText(handler)}`);
  }

  async #exec(action: ExecAction, { containerId }: Hook, signal: AbortSignal): Promise<void> {
    const command = action.command ?? [];
    const result = await runInContainer(this.#options.service, { containerId, command }, signal);
    const words = command.join(' ');
    if (!result) throw new HookCommandError(`command timed out: ${quote(words)} timed out after 0s`, '');
    const { exitCode } = result;
    if (exitCode === 0) return;
    const [stdout, stderr] = [Buffer.from(result.stdout).toString(), Buffer.from(result.stderr).toString()];
    throw new HookCommandError(`command '${words}' exited with ${exitCode}: ${stderr}`, `${stdout}${stderr}`);
  }

  /** Any response is a success, whatever its status code. */
  async #httpGet(action: HTTPGetAction, hook: Hook, signal: AbortSignal): Promise<void> {
    const { container, warn } = hook;
    const podIP = action.host || (await this.#podIP(hook, signal));
    const request = httpGetRequest(action, { container, podIP, purpose: 'lifecycle' });
    try {
      await this.#get(request, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isHttpAnswer(error)) throw error;
      // Hooks worked without TLS for years, because the scheme was ignored.
      const isPlain = await this.#get(withoutTls(request), signal).then(
        () => true,
        () => false,
      );
      signal.throwIfAborted();
      if (!isPlain) throw error;
      const { host } = request.target;
      warn(
        'LifecycleHTTPFallback',
        `request to HTTPS lifecycle hook ${host} got HTTP response, retry with HTTP succeeded`,
      );
    }
  }

  /** Resolves also if the body of the response breaks off. */
  async #get(request: HttpGetRequest, signal: AbortSignal): Promise<void> {
    try {
      await httpGet(request, { clock: this.#options.clock, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof HttpGetError) throw error;
    }
  }

  async #sleep(seconds: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(this.#options.clock, seconds * 1000, signal);
    } catch (error) {
      throw new Error('container terminated before sleep hook finished', { cause: error });
    }
  }

  /** Returns the address of the container's sandbox. Rejects if it has none, as in the node's network. */
  async #podIP({ pod, containerId }: Hook, signal: AbortSignal): Promise<string> {
    const { service } = this.#options;
    const within = { signal, timeoutMs: requestTimeoutMs };
    const { containers } = await service.listContainers({ filter: { id: containerId } }, within);
    const podSandboxId = containers[0]?.podSandboxId;
    const ip = podSandboxId && (await service.podSandboxStatus({ podSandboxId }, within)).status?.network?.ip;
    if (!ip) throw new Error(`failed to find networking container: ${podText(pod)}`);
    return ip;
  }
}

const isHttpAnswer = (error: unknown): boolean =>
  error instanceof Error && error.message.endsWith('http: server gave HTTP response to HTTPS client');

/** Without credentials, which are not for a connection that others may read. */
function withoutTls({ target, host, headers }: HttpGetRequest): HttpGetRequest {
  return {
    target: { ...target, scheme: 'http', text: target.text.replace(/^https:/, 'http:') },
    host,
    headers: headers.filter(([name]) => name !== 'Authorization'),
  };
}

/** Prints a handler without any action that a hook can have, as Go does. */
function handlerText({ tcpSocket }: LifecycleHandler): string {
  const port = typeof tcpSocket?.port === 'string' ? `{1 0 ${tcpSocket.port}}` : `{0 ${tcpSocket?.port} }`;
  const socket = tcpSocket ? `&TCPSocketAction{Port:${port},Host:${tcpSocket.host ?? ''},}` : 'nil';
  return `&LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:${socket},Sleep:nil,}`;
}
