import type { Kubeconfig } from './kubeconfig.ts';

/** Who we are to a server. */
export interface WebhookCredentials {
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  /** PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
}

/**
 * Finds credentials by the name of a server (`host:port`) among the users of a kubeconfig: by its name, by a pattern
 * (`*.default.svc`), for `*`, or those of the current context. Port 443 need not be named.
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

/** `a.b.c` is one of `*.b.c` and of `*.c`. */
function patternsOf(name: string): string[] {
  const steps = name.split('.');
  return steps.slice(1).map((_, index) => `*.${steps.slice(index + 1).join('.')}`);
}
