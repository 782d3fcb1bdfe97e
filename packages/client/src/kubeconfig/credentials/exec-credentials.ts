import { isatty } from 'node:tty';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Credential, Credentials } from '../../config/rest-config.ts';
import { type Counter, type Metrics, noMetrics } from '../../observe/index.ts';
import { interactiveMode } from '../confirm-usable.ts';
import type { ExecConfig } from '../kubeconfig.ts';
import type { Environment } from '../kubeconfig-files.ts';
import { type ExecCredential, parseExecCredential } from './exec-credential.ts';
import { type ExecCluster, ExecPluginError, runExecPlugin } from './exec-plugin.ts';
import { SharedCall } from './shared-call.ts';

/** Options for running credential plug-ins. */
export interface ExecOptions {
  readonly env?: Environment;
  readonly clock?: Clock;
  readonly metrics?: Metrics;
  /** Set when standard input is in use, so that a plug-in cannot have it. The value is the reason, or empty. */
  readonly stdinUnavailable?: string | undefined;
  /** Whether standard input is a terminal; checks fd 0 by default. */
  readonly isTerminal?: () => boolean;
  /** Receives the plug-in's standard error; by default it is inherited from this process. */
  readonly onStderr?: (text: Uint8Array) => void;
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** Maximum number of messages with the full help text per period, so that it does not fill logs. */
const helpsInPeriod = 10;
const helpPeriodMs = 3_600_000;

/**
 * Credentials from an exec plug-in. The output is cached until it expires or the server rejects it; concurrent callers
 * share one run.
 */
export class ExecCredentials implements Credentials {
  readonly #config: ExecConfig;
  readonly #cluster: () => Promise<ExecCluster | undefined>;
  readonly #options: ExecOptions;
  readonly #clock: Clock;
  readonly #calls: Counter;
  readonly #run = new SharedCall((signal) => this.#fetch(signal));
  #cached: ExecCredential | undefined;
  #helpsSince = 0;
  #helps = 0;

  /** `cluster` is called only if the config has `provideClusterInfo`. Throws an Error for unsupported API versions. */
  constructor(config: ExecConfig, cluster: () => Promise<ExecCluster>, options: ExecOptions = {}) {
    if (!apiVersions.includes(config.apiVersion ?? ''))
      throw new Error(`exec plugin: invalid apiVersion ${JSON.stringify(config.apiVersion ?? '')}`);
    this.#config = config;
    this.#cluster = config.provideClusterInfo ? cluster : async () => undefined;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#calls = (options.metrics ?? noMetrics).counter({
      name: 'rest_client_exec_plugin_call_total',
      help: 'Number of calls to an exec plugin, by exit code and by how the call ended.',
      labels: ['code', 'call_status'],
    });
  }

  async current(signal?: AbortSignal): Promise<Credential> {
    const cached = this.#cached;
    if (cached && (cached.expiresAt === undefined || this.#clock.now() <= cached.expiresAt)) return cached.credential;
    return (await this.#run.join(signal)).credential;
  }

  refused({ token, clientCertificate }: Credential): boolean {
    const cached = this.#cached?.credential;
    // The rejected credential may be older than the cached one.
    if (cached?.token === token && cached?.clientCertificate === clientCertificate) this.#cached = undefined;
    return true;
  }

  async #fetch(signal: AbortSignal): Promise<ExecCredential> {
    try {
      const config = this.#config;
      const { env = process.env, onStderr } = this.#options;
      const interactive = this.#isInteractive();
      const cluster = await this.#cluster();
      const output = await runExecPlugin({ config, env, interactive, cluster, onStderr, signal });
      this.#calls.add(1, '0', 'no_error');
      this.#cached = await parseExecCredential(output, config.apiVersion!);
      return this.#cached;
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      this.#count(cause);
      throw new Error(`getting credentials: ${this.#explain(cause)}`, { cause });
    }
  }

  #isInteractive(): boolean {
    const { stdinUnavailable, isTerminal = () => isatty(0) } = this.#options;
    const cannot = 'exec plugin cannot support interactive mode:';
    switch (interactiveMode(this.#config)) {
      case 'Never':
        return false;
      case 'IfAvailable':
        return stdinUnavailable === undefined && isTerminal();
      case 'Always':
        if (!isTerminal()) throw new Error(`${cannot} standard input is not a terminal`);
        if (stdinUnavailable === undefined) return true;
        throw new Error(`${cannot} standard input is unavailable${stdinUnavailable && `: ${stdinUnavailable}`}`);
      default:
        throw new Error(`${cannot} unknown interactiveMode: ${JSON.stringify(this.#config.interactiveMode ?? '')}`);
    }
  }

  #count(error: unknown): void {
    if (!(error instanceof ExecPluginError)) return;
    if (error.kind === 'notFound' || error.kind === 'cannotRun') this.#calls.add(1, '1', 'plugin_not_found_error');
    else if (error.kind === 'failed') this.#calls.add(1, String(error.exitCode), 'plugin_execution_error');
    else this.#calls.add(1, '1', 'client_internal_error');
  }

  #explain(error: unknown): string {
    const message = messageOf(error);
    if (!(error instanceof ExecPluginError) || error.kind !== 'notFound') return message;
    const now = this.#clock.now();
    if (now - this.#helpsSince >= helpPeriodMs) {
      this.#helpsSince = now;
      this.#helps = 0;
    }
    if (this.#helps >= helpsInPeriod) return message;
    this.#helps++;
    const { installHint } = this.#config;
    return message + help + (installHint ? `\n\n${printable(installHint)}` : '');
  }
}

const help = `

It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`;

/** Replaces control characters, so that a hint cannot send escape sequences to the terminal. */
function printable(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase();
    return `U+${code.padStart(4, '0')}`;
  });
}
