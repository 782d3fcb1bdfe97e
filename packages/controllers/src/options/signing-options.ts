import { durationToMs } from '@coxswain/apimachinery/time';
import { loadKeyPair } from '@coxswain/client/x509';
import type { AllControllersOptions } from '../all-controllers.ts';
import type { ControllerManagerOptions, ControllerManagerSettings } from './controller-manager-flags.ts';

type Signing = NonNullable<AllControllersOptions['signing']>;

/** The files of each signer that may have its own CA, and the name of its flags in upstream's messages. */
const filesBySigner = (options: ControllerManagerOptions) =>
  ({
    'kubernetes.io/kubelet-serving': {
      flags: 'cluster-signing-kubelet-serving',
      certificateFile: options.clusterSigningKubeletServingCertFile,
      keyFile: options.clusterSigningKubeletServingKeyFile,
    },
    'kubernetes.io/kube-apiserver-client-kubelet': {
      flags: 'cluster-signing-kubelet-client',
      certificateFile: options.clusterSigningKubeletClientCertFile,
      keyFile: options.clusterSigningKubeletClientKeyFile,
    },
    'kubernetes.io/kube-apiserver-client': {
      flags: 'cluster-signing-kube-apiserver-client',
      certificateFile: options.clusterSigningKubeApiserverClientCertFile,
      keyFile: options.clusterSigningKubeApiserverClientKeyFile,
    },
    'kubernetes.io/legacy-unknown': {
      flags: 'cluster-signing-legacy-unknown',
      certificateFile: options.clusterSigningLegacyUnknownCertFile,
      keyFile: options.clusterSigningLegacyUnknownKeyFile,
    },
  }) as const;

/** Returns the problems of the `--cluster-signing-*` flags. */
export function signingProblems(options: ControllerManagerOptions): string[] {
  const { clusterSigningCertFile: certificateFile, clusterSigningKeyFile: keyFile } = options;
  const specific = Object.values(filesBySigner(options));
  const problems = specific.flatMap(({ flags, ...files }) => {
    if (!files.certificateFile === !files.keyFile) return [];
    return [`"${flags}": cannot specify ${files.keyFile ? 'key without cert' : 'cert without key'}`];
  });
  if (!certificateFile !== !keyFile)
    problems.push('--cluster-signing-cert-file and --cluster-signing-key-file go together: give both');
  if ((certificateFile || keyFile) && specific.some((files) => files.certificateFile || files.keyFile))
    problems.push(
      'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    );
  return problems;
}

/**
 * Loads the CAs that sign certificates. Returns undefined without any. If some signers have their own CA, other signers sign
 * nothing. Throws an Error that names the invalid file.
 */
export async function signingOptions(
  settings: ControllerManagerSettings,
  now: () => Date,
): Promise<Signing | undefined> {
  const maxDurationMs = durationToMs(settings.clusterSigningDuration);
  const { clusterSigningCertFile, clusterSigningKeyFile } = settings;
  if (clusterSigningCertFile && clusterSigningKeyFile) {
    const files = { certificateFile: clusterSigningCertFile, keyFile: clusterSigningKeyFile };
    const pair = await loadKeyPair(files, now);
    return { authorities: () => pair, maxDurationMs };
  }
  const loaded = await Promise.all(
    Object.entries(filesBySigner(settings)).map(async ([signer, { certificateFile, keyFile }]) => {
      if (!certificateFile || !keyFile) return [];
      const pair = await loadKeyPair({ certificateFile, keyFile }, now);
      return [[signer, () => pair] as const];
    }),
  );
  const authorities = Object.fromEntries(loaded.flat());
  return Object.keys(authorities).length > 0 ? { authorities, maxDurationMs } : undefined;
}
