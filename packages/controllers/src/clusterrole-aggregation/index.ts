/** Sets the rules of ClusterRoles with an `aggregationRule` to the combined rules of the selected ClusterRoles. */
import type { ClusterRole } from '@coxswain/api/rbac/v1';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { aggregatedRules, areSameRules } from './aggregated-rules.ts';

const name = 'clusterrole-aggregation-controller';
/** Index of the roles with an `aggregationRule`, all under one value. */
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
      // Server-side apply sets only the rules and leaves the ownership of other fields unchanged.
      const configuration = { metadata: { name: key }, ...(rules.length > 0 && { rules }) };
      await context.clients.rbac.v1.clusterRoles().apply(configuration, { fieldManager: name, force: true, signal });
    },
  });
  // Any role may be part of an aggregated role, and there are few of these, so all are queued.
  const enqueueAll = (): void => {
    for (const key of informer.indexer.indexKeys(aggregating, '')) loop.queue.add(key);
  };
  informer.addEventHandler({ onAdd: enqueueAll, onUpdate: enqueueAll, onDelete: enqueueAll });
  return loop;
}
