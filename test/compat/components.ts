import type { ApiServer } from './api-servers.ts';

/** What a controller manager is told, whoever wrote it. */
export const controllerManagerFlags = (server: ApiServer): string[] => [
  ...commonFlags(server),
  `--root-ca-file=${server.rootCaFile}`,
  `--service-account-private-key-file=${server.serviceAccountKeyFile}`,
  // Each controller by an account of its own, with the roles that the server has for it.
  '--use-service-account-credentials',
];

/** What a scheduler is told, whoever wrote it. */
export const schedulerFlags = (server: ApiServer): string[] => commonFlags(server);

const commonFlags = ({ kubeconfig }: ApiServer): string[] => [
  `--kubeconfig=${kubeconfig}`,
  '--secure-port=0',
  '--leader-elect',
  '--kube-api-content-type=application/vnd.kubernetes.protobuf',
];
