import {
  type ErrorList,
  fieldImmutableErrorMessage,
  invalid,
  isValidCIDR,
  Path,
  parseCIDRSloppy,
  required,
} from '@coxswain/apimachinery';
import type { ServiceCIDR } from '../../generated/networking/v1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const path = Path.of('spec', 'cidrs');
const internalForm = internalFormOf('ServiceCIDRSpec CIDRs=cidrs:[]s');

function validate({ spec }: ServiceCIDR): ErrorList {
  const { cidrs = [] } = spec ?? {};
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')];
  if (cidrs.length > 2)
    return [invalid(path, internalForm('ServiceCIDRSpec', spec ?? {}), 'may only hold up to 2 values')];
  const errors = cidrs.flatMap((cidr, i) => isValidCIDR(path.index(i), cidr));
  const [first, second] = cidrs.map((cidr) => parseCIDRSloppy(cidr)?.address.writtenAsIPv6);
  if (cidrs.length === 2 && first !== undefined && first === second) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalid(path, cidrs, detail));
  }
  return errors;
}

/** Validates an update. The only allowed change is to add a CIDR of the second family. */
function validateUpdate(config: ServiceCIDR, old: ServiceCIDR): ErrorList {
  const before = old.spec?.cidrs ?? [];
  const after = config.spec?.cidrs ?? [];
  const isExtended = before.length === 1 && after.length === 2;
  if (before.length !== after.length && !isExtended) {
    return [invalid(path, config.spec?.cidrs, fieldImmutableErrorMessage)];
  }
  const changes = before.flatMap((cidr, i) =>
    cidr === after[i] ? [] : [invalid(path.index(i), after[i], fieldImmutableErrorMessage)],
  );
  return isExtended ? [...changes, ...validate(config)] : changes;
}

export const serviceCIDRStrategy: Strategy<ServiceCIDR> = {
  validate,
  validateUpdate,
  subresources: { status: { owns: ['status'], metadata: 'none' } },
  table: {
    columns: columns('Name', 'CIDRs', 'Age'),
    row: ({ metadata, spec }, context) => [
      metadata.name ?? '',
      (spec?.cidrs ?? []).join(','),
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
