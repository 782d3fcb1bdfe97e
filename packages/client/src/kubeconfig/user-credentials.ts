import type { Clock } from '@coxswain/apimachinery/clock';
import type { Credentials } from '../config/rest-config.ts';
import type { Logger } from '../observe/index.ts';
import { keyPairProblem } from '../x509/pem-key-pair.ts';
import { CertificateFileCredentials } from './credentials/certificate-file-credentials.ts';
import { CombinedCredentials } from './credentials/combined-credentials.ts';
import type { ExecOptions } from './credentials/exec-credentials.ts';
import type { ExecCluster } from './credentials/exec-plugin.ts';
import { StaticCredentials } from './credentials/static-credentials.ts';
import { TokenFileCredentials } from './credentials/token-file-credentials.ts';
import { readText } from './files.ts';
import type { AuthInfo, AuthProviderConfig, KubeConfig } from './kubeconfig.ts';
import type { KubeConfigLocation } from './kubeconfig-files.ts';

export interface UserCredentialsOptions {
  readonly userName: string;
  /** Returns the cluster information for a plug-in. */
  readonly execCluster: () => Promise<ExecCluster>;
  readonly exec: ExecOptions;
  /** Where new tokens are written; without it they are not stored. */
  readonly location?: KubeConfigLocation | undefined;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Returns the credentials of a user; undefined for an anonymous one. Rejects when they are already known to be
 * unusable.
 */
export async function userCredentials(
  user: AuthInfo,
  options: UserCredentialsOptions,
): Promise<Credentials | undefined> {
  const certificate = await certificateCredentials(user, options);
  const token = await tokenCredentials(user, options);
  const fixed = [token, certificate].filter((part) => part !== undefined);
  // An exec plug-in is used only without other credentials; an auth provider only when there is no token.
  const provided = !token && user['auth-provider'] && (await providerCredentials(user['auth-provider'], options));
  if (provided) fixed.unshift(provided);
  if (fixed.length === 0 && user.exec) {
    const { ExecCredentials } = await import('./credentials/exec-credentials.ts');
    return new ExecCredentials(user.exec, options.execCluster, options.exec);
  }
  return fixed.length > 1 ? new CombinedCredentials(fixed) : fixed[0];
}

/** Credentials with a token, or with a user name and password. */
export async function tokenCredentials(
  user: AuthInfo,
  { clock, logger }: { readonly clock?: Clock; readonly logger?: Logger },
): Promise<Credentials | undefined> {
  const { token, tokenFile, username = '', password = '' } = user;
  if (tokenFile) {
    const credentials = new TokenFileCredentials(tokenFile, {
      token,
      ...(clock && { clock }),
      ...(logger && { logger }),
    });
    if (!token) await readText(tokenFile);
    return credentials;
  }
  if (token) return new StaticCredentials({ token });
  return username || password ? new StaticCredentials({ basic: { username, password } }) : undefined;
}

async function certificateCredentials(
  user: AuthInfo,
  { clock, logger }: UserCredentialsOptions,
): Promise<Credentials | undefined> {
  const certificateFile = user['client-certificate'];
  const keyFile = user['client-key'];
  const certificateData = user['client-certificate-data'];
  const keyData = user['client-key-data'];
  if (certificateFile && keyFile && !certificateData && !keyData) {
    const credentials = new CertificateFileCredentials(certificateFile, keyFile, {
      ...(clock && { clock }),
      ...(logger && { logger }),
    });
    await credentials.current();
    return credentials;
  }
  if (!certificateFile && !certificateData) return undefined;
  // When only one of the two is in a file, it is not re-read: a new one would not match the other.
  const certificate = await dataOrFile(certificateData, certificateFile);
  const key = await dataOrFile(keyData, keyFile);
  const problem = keyPairProblem(certificate, key);
  if (problem) throw new Error(problem);
  return new StaticCredentials({ clientCertificate: { certificate, key } });
}

async function dataOrFile(data: string | undefined, file: string | undefined): Promise<string> {
  if (data) return Buffer.from(data, 'base64').toString();
  return file ? readText(file) : '';
}

async function providerCredentials(
  { name = '', config = {} }: AuthProviderConfig,
  { userName, location, clock }: UserCredentialsOptions,
): Promise<Credentials> {
  if (Object.hasOwn(removedProviders, name)) throw new Error(removedProviders[name]);
  if (name !== 'oidc') throw new Error(`no Auth Provider found for name ${JSON.stringify(name)}`);
  const { OidcCredentials } = await import('./credentials/oidc-credentials.ts');
  return new OidcCredentials(config, {
    ...(clock && { clock }),
    persist: async (renewed) => {
      if (!location) return;
      const { modifyKubeConfig } = await import('./modify-kubeconfig.ts');
      await modifyKubeConfig((kubeConfig) => setProviderConfig(kubeConfig, userName, renewed), location);
    },
  });
}

function setProviderConfig(kubeConfig: KubeConfig, userName: string, config: Readonly<Record<string, string>>): void {
  const user = kubeConfig.users.get(userName);
  const provider = user?.['auth-provider'];
  if (user && provider) kubeConfig.users.set(userName, { ...user, 'auth-provider': { ...provider, config } });
}

const removed = (name: string, instead: string, where: string): string =>
  `The ${name} auth plugin has been removed.\nPlease use the ${instead} kubectl/client-go credential plugin instead.\nSee ${where} for further details`;

const removedProviders: Readonly<Record<string, string>> = {
  gcp: removed(
    'gcp',
    '"gke-gcloud-auth-plugin"',
    'https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke',
  ),
  azure: removed(
    'azure',
    'https://github.com/Azure/kubelogin',
    'https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins',
  ),
};
