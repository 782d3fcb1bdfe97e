import { isAlreadyExists } from '@coxswain/apimachinery/errors';
import { ClientSet } from '@coxswain/client';
import type { Component } from '../component.ts';
import { administrator } from '../identities.ts';
import { nodeBootstrapBindings, nodeBootstrapRoles } from '../nodes/node-bootstrap-rbac.ts';

/** Creates the roles with which machines join by bootstrap tokens, as kubeadm does. Roles that exist are left as they are. */
export const nodeBootstrap = (): Component => ({
  name: 'node-bootstrap',
  userAgent: 'coxswain',
  start({ clientAs }) {
    const ended = ensureRoles(new ClientSet(clientAs(administrator)));
    return { ended, ready: () => ended };
  },
});

async function ensureRoles({ rbac }: ClientSet): Promise<void> {
  for (const role of nodeBootstrapRoles) await unlessExists(rbac.v1.clusterRoles().create(role));
  for (const binding of nodeBootstrapBindings) await unlessExists(rbac.v1.clusterRoleBindings().create(binding));
}

async function unlessExists(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
