import {
  isDns1123Label,
  isDns1123SubdomainBytes,
  isPathSegmentName,
  isQualifiedName,
  maxLenError,
} from '@coxswain/apimachinery';
import type { FieldRules, StructRules } from '../../strategy/declarative.ts';

const highestUserDefinablePriority = 1_000_000_000;
const topology = 'TopologyAwareWorkloadScheduling';
const preemption = 'WorkloadAwarePreemption';

/** Like `isDns1123Label`, with a message that counts bytes. */
const isShortName = (value: string): string[] =>
  isDns1123Label(value).map((problem) => (problem === maxLenError(63) ? maxLenError(63, 'bytes') : problem));

const shortName: FieldRules = { presence: 'required', format: isShortName };
const optionalName: FieldRules = { presence: 'optional', pointer: true, format: isDns1123SubdomainBytes };

const schedulingPolicy: StructRules = {
  union: ['basic', 'gang'],
  fields: { gang: { presence: 'optional', struct: { fields: { minCount: { presence: 'required', minimum: 1 } } } } },
};

const resourceClaims: FieldRules = {
  presence: 'optional',
  immutable: true,
  maxItems: 4,
  key: 'name',
  struct: {
    union: ['resourceClaimName', 'resourceClaimTemplateName'],
    fields: { name: shortName, resourceClaimName: optionalName, resourceClaimTemplateName: optionalName },
  },
};

/** Rules for the fields that PodGroups and their templates have in common. */
const groupFields: Readonly<Record<string, FieldRules>> = {
  schedulingPolicy: { struct: schedulingPolicy },
  schedulingConstraints: {
    presence: 'optional',
    feature: topology,
    struct: {
      fields: {
        topology: {
          presence: 'optional',
          maxItems: 1,
          struct: { fields: { key: { presence: 'required', format: isQualifiedName } } },
        },
      },
    },
  },
  resourceClaims,
  disruptionMode: { presence: 'optional', pointer: true, feature: preemption, oneOf: ['Pod', 'PodGroup'] },
  priorityClassName: { presence: 'optional', feature: preemption, format: isDns1123SubdomainBytes },
  priority: {
    presence: 'optional',
    pointer: true,
    feature: preemption,
    maximum: highestUserDefinablePriority,
    minimum: -(2 ** 31),
  },
};

export const workloadRules: StructRules = {
  fields: {
    spec: {
      struct: {
        fields: {
          controllerRef: {
            presence: 'optional',
            immutable: true,
            struct: {
              fields: {
                apiGroup: { presence: 'optional', format: isDns1123SubdomainBytes },
                kind: { presence: 'required', format: isPathSegmentName },
                name: { presence: 'required', format: isPathSegmentName },
              },
            },
          },
          podGroupTemplates: {
            presence: 'required',
            immutable: true,
            maxItems: 8,
            key: 'name',
            struct: { fields: { name: shortName, ...groupFields } },
          },
        },
      },
    },
  },
};

const immutable = (fields: Readonly<Record<string, FieldRules>>): Record<string, FieldRules> =>
  Object.fromEntries(Object.entries(fields).map(([name, rules]) => [name, { ...rules, immutable: true }]));

export const podGroupRules: StructRules = {
  fields: {
    spec: {
      struct: {
        fields: immutable({
          podGroupTemplateRef: {
            presence: 'optional',
            struct: {
              union: ['workload'],
              fields: {
                workload: {
                  presence: 'optional',
                  struct: {
                    fields: {
                      workloadName: { presence: 'required', format: isDns1123SubdomainBytes },
                      podGroupTemplateName: shortName,
                    },
                  },
                },
              },
            },
          },
          ...groupFields,
          // Required, because it has a default.
          disruptionMode: { ...groupFields.disruptionMode, presence: 'required' },
        }),
      },
    },
    status: {
      struct: {
        fields: {
          resourceClaimStatuses: {
            presence: 'optional',
            maxItems: 4,
            key: 'name',
            struct: { fields: { resourceClaimName: optionalName } },
          },
        },
      },
    },
  },
};
