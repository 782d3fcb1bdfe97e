import type { ComponentStatus } from '@coxswain/api/core/v1';
import { GroupResource, newNotFound } from '@coxswain/apimachinery';
import { negotiate } from './representation.ts';
import type { VirtualEndpoints } from './resource-router.ts';
import type { EndpointServices } from './scope.ts';
import { encodedResponse } from './write-response.ts';

/** By component: undefined when it is well, else what is wrong. */
export type HealthOfComponents = Readonly<Record<string, () => Promise<string | undefined>>>;

const deprecated = 'v1 ComponentStatus is deprecated in v1.19+';
const apiVersion = 'v1';

/** How the parts of the control plane are that this server can ask. Nothing is stored. */
export function componentStatuses(services: EndpointServices, components: HealthOfComponents): VirtualEndpoints {
  const statusOf = async (name: string): Promise<ComponentStatus> => {
    const problem = await components[name]!();
    const condition = problem
      ? { type: 'Healthy', status: 'False' as const, message: problem }
      : { type: 'Healthy', status: 'True' as const, message: 'ok' };
    return { metadata: { name }, conditions: [condition] };
  };
  return {
    get: async (context) => {
      const { name } = context.info;
      const representation = negotiate(context, services.codecs);
      context.warn(deprecated);
      if (!Object.hasOwn(components, name)) throw newNotFound(GroupResource.of('', 'componentstatuses'), name);
      const status = { kind: 'ComponentStatus', apiVersion, ...(await statusOf(name)) };
      return encodedResponse(200, status, { ...representation, target: undefined });
    },
    list: async (context) => {
      const representation = negotiate(context, services.codecs);
      context.warn(deprecated);
      const items = await Promise.all(Object.keys(components).map(statusOf));
      const list = { kind: 'ComponentStatusList', apiVersion, metadata: {}, items };
      return encodedResponse(200, list, { ...representation, target: undefined });
    },
  };
}
