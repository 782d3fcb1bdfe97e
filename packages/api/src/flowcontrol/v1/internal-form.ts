import { internalFormOf } from '../../strategy/internal-form.ts';

/** Converts values into the form of upstream's messages; see `strategy/internal-form.ts` for the notation. */
export const internalForm: (type: string, value: object) => Readonly<Record<string, unknown>> = internalFormOf(`
FlowSchemaSpec PriorityLevelConfiguration:Reference MatchingPrecedence:i DistinguisherMethod:*FlowDistinguisherMethod
 Rules:[]PolicyRulesWithSubjects
Reference Name:s
FlowDistinguisherMethod Type:s
PolicyRulesWithSubjects Subjects:[]Subject ResourceRules:[]ResourcePolicyRule NonResourceRules:[]NonResourcePolicyRule
Subject Kind:s User:*Reference Group:*Reference ServiceAccount:*ServiceAccountSubject
ServiceAccountSubject Namespace:s Name:s
ResourcePolicyRule Verbs:[]s APIGroups=apiGroups:[]s Resources:[]s ClusterScope:b Namespaces:[]s
NonResourcePolicyRule Verbs:[]s NonResourceURLs:[]s
PriorityLevelConfigurationSpec Type:s Limited:*Limited Exempt:*Exempt
Limited NominalConcurrencyShares:i LimitResponse:LimitResponse LendablePercent:*i BorrowingLimitPercent:*i
Exempt NominalConcurrencyShares:*i LendablePercent:*i
LimitResponse Type:s Queuing:*QueuingConfiguration
QueuingConfiguration Queues:i HandSize:i QueueLengthLimit:i
`);
