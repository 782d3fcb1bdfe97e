import { strategyFor } from '@coxswain/api';
import type { ComponentStatus } from '@coxswain/api/core/v1';
import { GroupResource, GroupVersionKind, newNotFound } from '@coxswain/apimachinery';
import { knownFields } from './list.ts';
import { listOptions } from './options.ts';
import { negotiate } from './representation.ts';
import type { VirtualEndpoints } from './resource-router.ts';
import type { EndpointServices, Presenter } from './scope.ts';
import { encodedResponse, presented, presentedList } from './write-response.ts';

/** A health check by component name. It resolves to undefined when the component is healthy, otherwise to the problem. */
export type HealthOfComponents = Readonly<Record<string, () => Promise<string | undefined>>>;

const deprecated = 'v1 ComponentStatus is deprecated in v1.19+';
const kind = GroupVersionKind.of('', 'v1', 'ComponentStatus');

/** Returns the endpoints of ComponentStatus: the health of control plane components. Nothing is stored. */
export function componentStatuses(services: EndpointServices, components: HealthOfComponents): VirtualEndpoints {
  const presenter: Presenter = {
    kind,
    listKind: 'ComponentStatusList',
    table: strategyFor(kind)?.table,
    services,
    toVersion: (hub) => hub,
  };
  const statusOf = async (name: string): Promise<ComponentStatus> => {
    const problem = await components[name]!();
    const condition = problem
      ? { type: 'Healthy', status: 'False' as const, message: problem }
      : { type: 'Healthy', status: 'True' as const, message: 'ok' };
    return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
  };
  return {
    get: async (context) => {
      const { name } = context.info;
      const representation = negotiate(context, services.codecs);
      context.warn(deprecated);
      if (!Object.hasOwn(components, name)) throw newNotFound(GroupResource.of('', 'componentstatus'), name);
      return encodedResponse(200, presented(presenter, await statusOf(name), representation), representation);
    },
    list: async (context) => {
      const representation = negotiate(context, services.codecs);
      const { labelSelector, fieldSelector: asked } = listOptions(context.query, false);
      const fieldSelector = knownFields(asked, kind, services);
      context.warn(deprecated);
      // ComponentStatuses have no labels.
      const names = Object.keys(components).filter(
        (name) => labelSelector.matches({}) && fieldSelector.matches({ 'metadata.name': name }),
      );
      const statuses = await Promise.all(names.map(statusOf));
      return encodedResponse(200, presentedList(presenter, statuses, {}, representation), representation);
    },
  };
}
