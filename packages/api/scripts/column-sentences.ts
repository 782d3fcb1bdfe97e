const containers = {
  Containers: 'The names of the containers in the template.',
  Images: 'The images of these containers.',
};
const parameters = { ParamKind: 'The kind of the parameter objects of the policy.' };
const policyBinding = {
  PolicyName: 'The policy that the binding refers to.',
  ParamRef: 'The parameter objects of the policy.',
};
const webhooks = { Webhooks: 'The number of webhooks in the configuration.' };
const storage = {
  StorageClass: 'The storage class of the volume.',
  VolumeAttributesClass: 'The volume attributes class of the volume.',
};
const subjects = {
  Users: 'The users that are granted the role.',
  Groups: 'The groups that are granted the role.',
  ServiceAccounts: 'The service accounts that are granted the role.',
};

/**
 * Descriptions of the Table columns that do not show a field unchanged: kind → column → sentence. Differs from
 * upstream: the sentences are ours. A few columns have no description, as upstream.
 */
export const columnSentences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/ComponentStatus': {
    Status: 'Whether the component is healthy.',
    Message: 'The message of the health check.',
    Error: 'The error of the health check.',
  },
  '/Namespace': { Status: 'Whether the namespace is active or terminating.' },
  '/Node': { Status: 'Whether the node is ready and schedulable.', Roles: 'The roles of the node, from its labels.' },
  '/PersistentVolume': storage,
  '/PersistentVolumeClaim': storage,
  '/Pod': {
    Ready: 'The number of ready containers, and of all containers.',
    Status: 'The state of the pod, summarized from its containers.',
    Restarts: 'The number of container restarts, and the age of the last one.',
  },
  '/PodTemplate': { ...containers, 'Pod Labels': 'The labels of pods in the template.' },
  '/ReplicationController': containers,
  '/ResourceQuota': {
    Request: 'The used and hard amounts, except for limits of containers.',
    Limit: 'The used and hard amounts for limits of containers.',
  },
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': {
    Mutations: 'The number of mutations in the policy.',
    ...parameters,
  },
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': policyBinding,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': {
    Validations: 'The number of validations in the policy.',
    ...parameters,
  },
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': policyBinding,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhooks,
  'apiregistration.k8s.io/APIService': {
    Service: 'The service that serves this version, or Local for the API server itself.',
    Available: 'Whether the service is reachable.',
  },
  'apps/ControllerRevision': { Controller: 'The object that the revision belongs to.' },
  'apps/DaemonSet': containers,
  'apps/Deployment': { Ready: 'The number of ready pods, and of desired pods.', ...containers },
  'apps/ReplicaSet': containers,
  'apps/StatefulSet': { Ready: 'The number of ready pods, and of desired pods.', ...containers },
  'batch/CronJob': containers,
  'batch/Job': {
    Status: 'Whether the job runs, is suspended, is complete or has failed.',
    Duration: 'How long the job took, or has been running.',
    ...containers,
  },
  'certificates.k8s.io/CertificateSigningRequest': {
    SignerName: 'The signer that is to issue the certificate.',
    Requestor: 'The user that created the request.',
    Condition: 'Whether the request is pending, approved or denied, and whether a certificate was issued.',
  },
  'flowcontrol.apiserver.k8s.io/FlowSchema': { MissingPL: 'Whether the priority level does not exist.' },
  'networking.k8s.io/Ingress': {
    Class: 'The ingress class, which determines the controller of the ingress.',
    Hosts: 'The hosts in the rules.',
    Address: 'The addresses of the load balancer.',
    Ports: 'The open ports: 80, and 443 with TLS.',
  },
  'networking.k8s.io/IngressClass': {
    Controller: 'The controller of ingresses of this class.',
    Parameters: 'The object with parameters for the controller.',
  },
  'policy/PodDisruptionBudget': {
    'Min Available': 'The number or percentage of pods that must stay available.',
    'Max Unavailable': 'The number or percentage of pods that may be unavailable.',
    'Allowed Disruptions': 'The number of pods that may be evicted now.',
  },
  'rbac.authorization.k8s.io/ClusterRoleBinding': { Role: 'The cluster role that is granted.', ...subjects },
  'rbac.authorization.k8s.io/RoleBinding': { Role: 'The role or cluster role that is granted.', ...subjects },
  'resource.k8s.io/ResourceClaim': { State: 'Whether the claim is pending, allocated, reserved or being deleted.' },
  'resource.k8s.io/ResourcePoolStatusRequest': {
    Driver: 'The driver of the requested pools.',
    Total: 'The number of devices in all pools.',
    Available: 'The number of devices that are not allocated.',
    Allocated: 'The number of allocated devices.',
    Unavailable: 'The number of devices that cannot be used.',
    Errors: 'The number of invalid pools.',
    Pools: 'The number of pools.',
    Status: 'Whether the request was processed.',
    Completed: 'How long ago the request was processed.',
  },
  'storage.k8s.io/CSINode': { Drivers: 'The number of CSI drivers on the node.' },
};
