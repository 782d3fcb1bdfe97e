import { timeFromDate } from '@coxswain/apimachinery/time';
import type { APIService } from '../../generated/apiregistration/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateAPIService, validateAPIServiceMetadata, validateAPIServiceStatus } from './validation.ts';

export const apiServiceStrategy: Strategy<APIService> = {
  validatesMetadata: true,
  allowUnconditionalUpdate: false,
  subresources: { status: { owns: ['status'], metadata: 'none', validateUpdate: validateAPIServiceStatus } },
  prepareForCreate: (service, { now }) => {
    // An APIService without a service is served by this server itself, so it is available from the start.
    if (service.spec?.service) return;
    service.status = {
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: timeFromDate(now()),
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ],
    };
  },
  validate: (service) => [...validateAPIServiceMetadata(service), ...validateAPIService(service)],
  validateUpdate: (service) => [...validateAPIServiceMetadata(service), ...validateAPIService(service)],
  table: {
    columns: columns('Name', 'Service', 'Available', 'Age'),
    row: ({ metadata, spec, status }, context) => {
      const service = spec?.service;
      const condition = status?.conditions?.find(({ type }) => type === 'Available');
      const { status: available = 'Unknown', reason } = condition ?? {};
      return [
        metadata.name ?? '',
        service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
        available !== 'True' && reason ? `${available} (${reason})` : available,
        translateTimestampSince(metadata.creationTimestamp, context),
      ];
    },
  },
};
