import type { Kubeconfig } from './kubeconfig.ts';

/** Credentials of this server for a webhook. */
export interface WebhookCredentials {
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  /** PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
}

/**
 * Returns a function that finds the credentials for a server (`host:port`) among the users of a kubeconfig: by its name, by a
 * pattern such as `*.default.svc`, by `*`, or else those of the current context. Port 443 may be omitted in names.
 */
export function credentialsFrom({ users, currentUser }: Kubeconfig): (server: string) => WebhookCredentials {
  return (server) => {
    const withoutPort = server.endsWith(':443') ? [server.slice(0, -':443'.length)] : [];
    const names = [server, ...withoutPort].flatMap((name) => [name, ...patternsOf(name)]);
    for (const name of [...names, '*', currentUser]) {
      const found = name === undefined ? undefined : users.get(name);
      if (found) return found;
    }
    return {};
  };
}

/** Returns the patterns that match a name: `*.b.c` and `*.c` for `a.b.c`. */
function patternsOf(name: string): string[] {
  const steps = name.split('.');
  return steps.slice(1).map((_, index) => `*.${steps.slice(index + 1).join('.')}`);
}
