import { behaviour as admissionregistrationV1 } from './admissionregistration/v1/index.ts';
import { behaviour as admissionregistrationV1alpha1 } from './admissionregistration/v1alpha1/index.ts';
import { behaviour as admissionregistrationV1beta1 } from './admissionregistration/v1beta1/index.ts';
import { behaviour as apiextensionsV1 } from './apiextensions/v1/index.ts';
import { behaviour as apiregistrationV1 } from './apiregistration/v1/index.ts';
import { behaviour as apiserverinternalV1alpha1 } from './apiserverinternal/v1alpha1/index.ts';
import { behaviour as appsV1 } from './apps/v1/index.ts';
import { behaviour as authenticationV1 } from './authentication/v1/index.ts';
import { behaviour as authorizationV1 } from './authorization/v1/index.ts';
import { behaviour as autoscalingV1 } from './autoscaling/v1/index.ts';
import { behaviour as autoscalingV2 } from './autoscaling/v2/index.ts';
import { behaviour as batchV1 } from './batch/v1/index.ts';
import { behaviour as certificatesV1 } from './certificates/v1/index.ts';
import { behaviour as certificatesV1beta1 } from './certificates/v1beta1/index.ts';
import { behaviour as coordinationV1 } from './coordination/v1/index.ts';
import { behaviour as coordinationV1beta1 } from './coordination/v1beta1/index.ts';
import { behaviour as coreV1 } from './core/v1/index.ts';
import { behaviour as discoveryV1 } from './discovery/v1/index.ts';
import { behaviour as eventsV1 } from './events/v1/index.ts';
import { behaviour as flowcontrolV1 } from './flowcontrol/v1/index.ts';
import { behaviour as networkingV1 } from './networking/v1/index.ts';
import { behaviour as networkingV1beta1 } from './networking/v1beta1/index.ts';
import { behaviour as nodeV1 } from './node/v1/index.ts';
import { behaviour as policyV1 } from './policy/v1/index.ts';
import { behaviour as rbacV1 } from './rbac/v1/index.ts';
import { behaviour as resourceV1 } from './resource/v1/index.ts';
import { behaviour as resourceV1alpha3 } from './resource/v1alpha3/index.ts';
import { behaviour as resourceV1beta1 } from './resource/v1beta1/index.ts';
import { behaviour as resourceV1beta2 } from './resource/v1beta2/index.ts';
import { behaviour as schedulingV1 } from './scheduling/v1/index.ts';
import { behaviour as schedulingV1alpha2 } from './scheduling/v1alpha2/index.ts';
import { behaviour as storageV1 } from './storage/v1/index.ts';
import { behaviour as storageV1beta1 } from './storage/v1beta1/index.ts';
import { behaviour as storagemigrationV1beta1 } from './storagemigration/v1beta1/index.ts';
import type { GroupVersionBehaviour } from './strategy/strategy.ts';

/** The behaviour of every group version that has code of its own: one folder each. */
export const behaviours: readonly GroupVersionBehaviour[] = [
  admissionregistrationV1,
  admissionregistrationV1alpha1,
  admissionregistrationV1beta1,
  apiextensionsV1,
  apiregistrationV1,
  apiserverinternalV1alpha1,
  appsV1,
  authenticationV1,
  authorizationV1,
  autoscalingV1,
  autoscalingV2,
  batchV1,
  certificatesV1,
  certificatesV1beta1,
  coordinationV1,
  coordinationV1beta1,
  coreV1,
  discoveryV1,
  eventsV1,
  flowcontrolV1,
  networkingV1,
  networkingV1beta1,
  nodeV1,
  policyV1,
  rbacV1,
  resourceV1,
  resourceV1alpha3,
  resourceV1beta1,
  resourceV1beta2,
  schedulingV1,
  schedulingV1alpha2,
  storageV1,
  storageV1beta1,
  storagemigrationV1beta1,
];
