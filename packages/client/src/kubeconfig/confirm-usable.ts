import { open } from 'node:fs/promises';
import { goFileError } from './files.ts';
import { InvalidConfigurationError } from './invalid-configuration.ts';
import type { AuthInfo, Cluster, ExecConfig, KubeConfig } from './kubeconfig.ts';
import type { ChosenContext, ConfigOverrides } from './overrides.ts';

const emptyCluster = 'cluster has no server defined';

/**
 * Validates the chosen cluster and user. Throws an InvalidConfigurationError that lists all problems, in clientcmd's
 * words.
 */
export async function confirmUsable(
  config: KubeConfig,
  overrides: ConfigOverrides,
  chosen: ChosenContext,
): Promise<void> {
  const problems: string[] = [];
  const contextName = overrides.currentContext || config.currentContext;
  if (contextName && !config.contexts.has(contextName))
    problems.push(`context was not found for specified context: ${contextName}`);
  problems.push(...(await userProblems(chosen.userName, chosen.user)));
  if (chosen.hasNoCluster) problems.push(emptyCluster);
  else problems.push(...(await clusterProblems(chosen.clusterName, chosen.cluster)));
  if (problems.length === 1 && problems[0] === emptyCluster) throw InvalidConfigurationError.empty();
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}

async function clusterProblems(name: string, cluster: Cluster): Promise<string[]> {
  const problems: string[] = [];
  if (!cluster.server)
    problems.push(name ? `no server found for cluster "${name}"` : 'default cluster has no server defined');
  const proxy = cluster['proxy-url'];
  const proxyFault = proxy && proxyProblem(proxy);
  if (proxyFault) problems.push(`invalid 'proxy-url' "${withoutPassword(proxy)}" for cluster "${name}": ${proxyFault}`);
  const file = cluster['certificate-authority'];
  if (file && cluster['certificate-authority-data']) {
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    );
  }
  problems.push(...(await unreadable('certificate-authority', file, name)));
  return problems;
}

function proxyProblem(url: string): string | undefined {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase() ?? '';
  if (!['http', 'https', 'socks5'].includes(scheme))
    return `unsupported scheme "${scheme}", must be http, https, or socks5`;
  return URL.canParse(url) ? undefined : `could not parse: ${withoutPassword(url)}`;
}

const withoutPassword = (url: string): string => url.replace(/:[^:@/]*@/, ':xxxxx@');

async function userProblems(name: string, user: AuthInfo): Promise<string[]> {
  const problems: string[] = [];
  const certificate = user['client-certificate'];
  const key = user['client-key'];
  if (certificate || user['client-certificate-data']) {
    if (certificate && user['client-certificate-data'])
      problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`);
    if (key && user['client-key-data'])
      problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`);
    if (!key && !user['client-key-data'])
      problems.push(
        `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
      );
    problems.push(...(await unreadable('client-cert', certificate, name)));
    problems.push(...(await unreadable('client-key', key, name)));
  }
  if (user.exec) problems.push(...execProblems(name, user.exec, user['auth-provider'] !== undefined));
  if (user.token && (user.username || user.password)) {
    problems.push(
      `more than one authentication method found for ${name}; found [token basicAuth], only one is allowed`,
    );
  }
  const impersonates =
    user['as-uid'] || user['as-groups']?.length || Object.keys(user['as-user-extra'] ?? {}).length > 0;
  if (impersonates && !user.as)
    problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`);
  return problems;
}

function execProblems(name: string, exec: ExecConfig, hasAuthProvider: boolean): string[] {
  const problems: string[] = [];
  const mustBeSpecified = (field: string): void => {
    problems.push(`${field} must be specified for ${name} to use exec authentication plugin`);
  };
  if (hasAuthProvider) problems.push(`authProvider cannot be provided in combination with an exec plugin for ${name}`);
  if (!exec.command) mustBeSpecified('command');
  if (!exec.apiVersion) mustBeSpecified('apiVersion');
  for (const variable of exec.env ?? []) if (!variable.name) mustBeSpecified('env variable name');
  const mode = interactiveMode(exec);
  if (!mode) mustBeSpecified('interactiveMode');
  else if (!['Never', 'IfAvailable', 'Always'].includes(mode))
    problems.push(`invalid interactiveMode for ${name}: "${mode}"`);
  return problems;
}

/** v1alpha1 and v1beta1 have a default. */
export function interactiveMode({ interactiveMode, apiVersion = '' }: ExecConfig): string {
  return (
    interactiveMode || (/^client\.authentication\.k8s\.io\/v1(alpha|beta)1$/.test(apiVersion) ? 'IfAvailable' : '')
  );
}

async function unreadable(what: string, path: string | undefined, name: string): Promise<string[]> {
  if (!path) return [];
  try {
    const file = await open(path);
    await file.close();
    return [];
  } catch (error) {
    return [`unable to read ${what} ${path} for ${name} due to ${goFileError('open', path, error).message}`];
  }
}
