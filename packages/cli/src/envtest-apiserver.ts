import { apiserver } from './apiserver.ts';
import { flagValue, isEtcdStub } from './envtest-etcd.ts';
import type { Terminal } from './main.ts';
import type { ServerProcess } from './server-process.ts';

const etcdFlag = 'etcd-servers';

/**
 * The `kube-apiserver` of envtest's assets: like `cox apiserver`, but it keeps everything in memory when `--etcd-servers` is the stand-in
 * for etcd. Returns the exit status. Never throws.
 */
export async function envtestApiserver(
  args: readonly string[],
  terminal: Terminal,
  process: ServerProcess,
): Promise<number> {
  const urls = flagValue(args, etcdFlag)?.split(',') ?? [];
  return apiserver((await isEtcdStub(urls)) ? inMemory(args) : args, terminal, process);
}

const inMemory = (args: readonly string[]): string[] => [
  ...args.filter((arg, index) => !arg.startsWith(`--${etcdFlag}`) && args[index - 1] !== `--${etcdFlag}`),
  '--memory',
];
