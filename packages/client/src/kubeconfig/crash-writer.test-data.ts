/**
 * Modifies a kubeconfig and kills itself before its n-th file operation; n is 1-based. Usage: `crash-writer <n>
 * <kubeconfig>`
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [dieAt = '0', path = ''] = process.argv.slice(2);
let operations = 0;

function count(): void {
  if (++operations === Number(dieAt)) process.kill(process.pid, 'SIGKILL');
}

/** Wraps methods that change files, so that each call is counted. */
function countCallsOf(target: object, names: readonly string[]): void {
  for (const name of names) {
    const original: unknown = Reflect.get(target, name);
    if (typeof original !== 'function') throw new Error(`there is no ${name}`);
    Reflect.set(target, name, function (this: unknown, ...parameters: unknown[]): unknown {
      count();
      return Reflect.apply(original, this, parameters);
    });
  }
}

const handle = await fs.promises.open(path, 'r');
countCallsOf(Object.getPrototypeOf(handle), ['writeFile', 'chmod', 'sync']);
await handle.close();
operations = 0;
countCallsOf(fs, ['openSync', 'writeSync', 'closeSync']);
countCallsOf(fs.promises, ['open', 'rename', 'rm', 'chown', 'mkdir']);
syncBuiltinESMExports();

const { modifyKubeConfig } = await import('./modify-kubeconfig.ts');
await modifyKubeConfig(
  ({ users }) => {
    users.set('new', { token: 'secret' });
  },
  { path },
);
