import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcessGroup } from '../process-group.ts';
import { hostAddress } from './topology.ts';

export interface ControlPlane {
  /** Of an administrator. */
  readonly kubeconfig: string;
  /** Aborted when a component has ended, with its last output. */
  readonly lost: AbortSignal;
  stop(): Promise<void>;
}

const stopGraceMs = 10_000;

/**
 * Starts our API server, controller manager and scheduler as programs, in memory, with the flags that real nodes need. Files are written to
 * the folder. Rejects when one of them ends or the signal is aborted.
 */
export async function startControlPlane(
  cox: string,
  { folder, logs, signal }: { readonly folder: string; readonly logs: string; readonly signal: AbortSignal },
): Promise<ControlPlane> {
  const lost = new AbortController();
  const groups: ProcessGroup[] = [];
  const stop = async (): Promise<void> => {
    for (const group of [...groups].reverse()) await group.stop(stopGraceMs);
  };
  const start = async (name: string, flags: readonly string[], until?: RegExp): Promise<void> => {
    const log = join(logs, `${name}.log`);
    let said = '';
    let onReady = () => {};
    const group = new ProcessGroup(cox, [name, ...flags], {
      log,
      onOutput: (text) => {
        said = (said + text).slice(-10_000);
        if (until?.test(said)) onReady();
      },
    });
    groups.push(group);
    group.ended.then(
      (status) => lost.abort(new Error(`cox ${name} ended with ${status}:\n${readFileSync(log, 'utf8').slice(-2000)}`)),
      (error) => lost.abort(error),
    );
    if (!until) return;
    await new Promise<void>((resolve, reject) => {
      onReady = resolve;
      const over = AbortSignal.any([lost.signal, signal]);
      over.addEventListener('abort', () => reject(over.reason));
      if (over.aborted) reject(over.reason);
    });
  };
  try {
    const data = join(folder, 'data');
    await start('apiserver', apiServerFlags(data), /is ready at /);
    const kubeconfig = join(data, 'admin.kubeconfig');
    await start('controller-manager', controllerManagerFlags(kubeconfig, join(data, 'pki')));
    await start('scheduler', [...clientFlags(kubeconfig)]);
    return { kubeconfig, lost: lost.signal, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const apiServerFlags = (data: string): string[] => [
  '--memory',
  `--data-dir=${data}`,
  // Nodes reach it at the bridge, and tests at the loopback address.
  '--bind-address=0.0.0.0',
  '--secure-port=0',
  `--advertise-address=${hostAddress}`,
  '--allow-privileged',
  '--enable-bootstrap-token-auth',
  '--kubelet-preferred-address-types=InternalIP,Hostname',
];

const controllerManagerFlags = (kubeconfig: string, pki: string): string[] => [
  ...clientFlags(kubeconfig),
  '--controllers=*,bootstrap-signer-controller,token-cleaner-controller',
  '--use-service-account-credentials',
  `--root-ca-file=${join(pki, 'ca.crt')}`,
  `--service-account-private-key-file=${join(pki, 'sa.key')}`,
  `--cluster-signing-cert-file=${join(pki, 'ca.crt')}`,
  `--cluster-signing-key-file=${join(pki, 'ca.key')}`,
];

/** Without leader election: there is one of each, and on a busy machine it must not end because a lease was not renewed in time. */
const clientFlags = (kubeconfig: string): string[] => [
  `--kubeconfig=${kubeconfig}`,
  '--secure-port=0',
  '--leader-elect=false',
  '--kube-api-content-type=application/vnd.kubernetes.protobuf',
];
