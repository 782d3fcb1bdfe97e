import { execFile } from 'node:child_process';

/** Runs the real kubectl for a cluster. */
export class Kubectl {
  readonly #program: string;
  readonly #kubeconfig: string;

  constructor(program: string, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  /** Returns the standard output. Rejects, with the error output, when it fails. */
  async run(args: readonly string[], input?: object): Promise<string> {
    return await new Promise((resolve, reject) => {
      const all = [`--kubeconfig=${this.#kubeconfig}`, '--request-timeout=30s', ...args];
      const child = execFile(this.#program, all, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
        else resolve(stdout);
      });
      child.stdin?.on('error', () => {});
      child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
    });
  }

  /** Creates or changes objects. */
  async apply(objects: readonly object[]): Promise<void> {
    await this.run(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items: objects });
  }

  /** Reads a value by a JSONPath expression; empty when there is none. */
  async read(args: readonly string[], jsonPath: string): Promise<string> {
    return await this.run(['get', ...args, '-o', `jsonpath=${jsonPath}`]);
  }
}
