import type { ApiServer } from './api-servers.ts';

/** The flags of a controller manager, ours or upstream's. */
export const controllerManagerFlags = (server: ApiServer): string[] => [
  ...commonFlags(server),
  `--root-ca-file=${server.rootCaFile}`,
  `--service-account-private-key-file=${server.serviceAccountKeyFile}`,
  // Each controller uses its own service account, with the roles that the server has for it.
  '--use-service-account-credentials',
  ...(server.signer
    ? [
        `--cluster-signing-cert-file=${server.signer.certificateFile}`,
        `--cluster-signing-key-file=${server.signer.keyFile}`,
      ]
    : []),
];

/** The flags of a scheduler, ours or upstream's. */
export const schedulerFlags = (server: ApiServer): string[] => commonFlags(server);

const commonFlags = ({ kubeconfig }: ApiServer): string[] => [
  `--kubeconfig=${kubeconfig}`,
  '--secure-port=0',
  '--leader-elect',
  '--kube-api-content-type=application/vnd.kubernetes.protobuf',
];
