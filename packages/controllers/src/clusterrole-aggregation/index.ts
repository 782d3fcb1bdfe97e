/** ClusterRoles that are made up of the rules of others. */
import type { ClusterRole } from '@coxswain/api/rbac/v1';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { aggregatedRules, areSameRules } from './aggregated-rules.ts';

const name = 'clusterrole-aggregation-controller';
/** Index of the roles that are made up of others, all under one value. */
const aggregating = 'aggregating';

export const clusterRoleAggregationController: ControllerDefinition = {
  name,
  aliases: ['clusterrole-aggregation'],
  create: newController,
};

function newController(context: ControllerContext): Controller {
  const { informer, lister } = context.informers.rbac.v1.clusterRoles;
  informer.addIndexers({ [aggregating]: ({ aggregationRule }: ClusterRole) => (aggregationRule ? [''] : []) });
  const loop = new ReconcileLoop(context, {
    name: 'ClusterRoleAggregator',
    workers: 5,
    synced: [informer],
    async reconcile(key, signal) {
      const role = informer.indexer.getByKey(key);
      if (!role?.aggregationRule) return;
      const rules = aggregatedRules(role, lister.list());
      if (areSameRules(rules, role.rules ?? [])) return;
      // Applied, not updated: whatever else there is of the role stays whose it is.
      const configuration = { metadata: { name: key }, ...(rules.length > 0 && { rules }) };
      await context.clients.rbac.v1.clusterRoles().apply(configuration, { fieldManager: name, force: true, signal });
    },
  });
  // Any role may be part of any other, and there are few that are made up of others.
  const enqueueAll = (): void => {
    for (const key of informer.indexer.indexKeys(aggregating, '')) loop.queue.add(key);
  };
  informer.addEventHandler({ onAdd: enqueueAll, onUpdate: enqueueAll, onDelete: enqueueAll });
  return loop;
}
