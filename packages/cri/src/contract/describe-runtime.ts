import { randomUUID } from 'node:crypto';
import type { Init } from '@coxswain/grpc/protobuf';
import type { PodSandboxConfig } from '../generated/messages.ts';
import { containerCases } from './containers.ts';
import { eventCases } from './events.ts';
import { imageCases } from './images.ts';
import { processCases } from './processes.ts';
import {
  type ContractCases,
  type ContractTest,
  presentImage,
  type RuntimeTraits,
  type RuntimeUnderTest,
} from './runtime-under-test.ts';
import { sandboxCases } from './sandboxes.ts';

/** The functions of a test framework that the suite uses. Those of vitest, node:test and others fit. */
export interface SuiteTools {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Declares the tests that every runtime must pass. */
export function describeRuntime(
  name: string,
  { describe, it }: SuiteTools,
  traits: RuntimeTraits,
  open: () => Promise<RuntimeUnderTest>,
): void {
  const groups: Record<string, ContractCases> = {
    sandboxes: sandboxCases,
    containers: containerCases,
    images: imageCases,
    ...(traits.runs ? { processes: processCases } : {}),
    ...(traits.hasEvents ? { events: eventCases } : {}),
  };
  describe(`${name} keeps the contract of a CRI runtime`, () => {
    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        for (const [sentence, run] of Object.entries(cases)) {
          it(sentence, async () => {
            const runtime = await open();
            const { test, dispose } = contractTest(runtime);
            try {
              await run(test);
            } finally {
              await dispose();
              runtime.close();
            }
          });
        }
      });
    }
  });
}

function contractTest(under: RuntimeUnderTest): { test: ContractTest; dispose(): Promise<void> } {
  const podUid = randomUUID();
  const { runtime, image, directory } = under;
  const labels = { 'io.kubernetes.pod.uid': podUid, 'io.kubernetes.pod.name': 'web' };
  const made: string[] = [];
  const configs = new Map<string, Init<PodSandboxConfig>>();
  const test: ContractTest = {
    ...under,
    podUid,
    async sandbox({ attempt = 0, network = 'POD' } = {}) {
      const config = {
        metadata: { name: 'web', namespace: 'default', uid: podUid, attempt },
        labels,
        annotations: { note: 'of the sandbox' },
        ...(network === 'POD' && { hostname: 'web' }),
        logDirectory: `${directory}/${podUid}`,
        linux: {
          securityContext: { namespaceOptions: { network, pid: 'CONTAINER' as const, ipc: 'POD' as const } },
        },
      };
      const { podSandboxId } = await runtime.runPodSandbox({ config });
      made.push(podSandboxId);
      configs.set(podSandboxId, config);
      return podSandboxId;
    },
    async container(podSandboxId, { name = 'main', attempt = 0, script = 'exec sleep 1000' } = {}) {
      const imageRef = await presentImage(under);
      const config = {
        metadata: { name, attempt },
        image: { image: imageRef, userSpecifiedImage: image },
        command: ['/bin/sh', '-c', script],
        labels: { ...labels, 'io.kubernetes.container.name': name },
        annotations: { note: 'of the container' },
        logPath: `${name}-${attempt}.log`,
        linux: { resources: { cpuPeriod: 100_000, cpuShares: 512, memoryLimitInBytes: 64 * 2 ** 20 } },
      };
      const request = { podSandboxId, config, sandboxConfig: configs.get(podSandboxId) };
      return (await runtime.createContainer(request)).containerId;
    },
  };
  const dispose = async (): Promise<void> => {
    for (const podSandboxId of made) {
      // Runtimes differ in whether a sandbox that is gone can be stopped.
      await runtime.stopPodSandbox({ podSandboxId }).catch(() => {});
      await runtime.removePodSandbox({ podSandboxId });
    }
  };
  return { test, dispose };
}
