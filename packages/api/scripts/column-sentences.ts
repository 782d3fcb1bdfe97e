const containers = {
  Containers: 'The names of the containers in the template.',
  Images: 'The images of these containers.',
};
const parameters = { ParamKind: 'The kind of objects that the policy takes parameters from.' };
const policyBinding = {
  PolicyName: 'The policy that is bound.',
  ParamRef: 'The objects that the policy takes parameters from.',
};
const webhooks = { Webhooks: 'How many webhooks there are in the configuration.' };
const storage = {
  StorageClass: 'The storage class that the volume is of.',
  VolumeAttributesClass: 'The attributes class that the volume is of.',
};
const subjects = {
  Users: 'The users that get the role.',
  Groups: 'The groups that get the role.',
  ServiceAccounts: 'The service accounts that get the role.',
};

/**
 * What a column of a Table shows where it is no field as it is: kind → column → sentence. Differs from upstream: the sentences are ours. A
 * few columns have none there either.
 */
export const columnSentences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/ComponentStatus': {
    Status: 'Whether the component is healthy.',
    Message: 'What the component said to that.',
    Error: 'Why the component could not be asked.',
  },
  '/Namespace': { Status: 'Whether the namespace is in use or about to go.' },
  '/Node': { Status: 'Whether the node is ready, and takes pods.', Roles: 'The roles that labels give the node.' },
  '/PersistentVolume': storage,
  '/PersistentVolumeClaim': storage,
  '/Pod': {
    Ready: 'How many of the containers are ready, and how many there are.',
    Status: 'What the containers are at, taken together.',
    Restarts: 'How often containers were started again, and how long ago one was last.',
  },
  '/PodTemplate': { ...containers, 'Pod Labels': 'The labels that pods get from the template.' },
  '/ReplicationController': containers,
  '/ResourceQuota': {
    Request: 'What is in use of that which is limited, limits of containers aside.',
    Limit: 'What is in use of the limits of containers.',
  },
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': {
    Mutations: 'How many mutations there are in the policy.',
    ...parameters,
  },
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': policyBinding,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': {
    Validations: 'How many validations there are in the policy.',
    ...parameters,
  },
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': policyBinding,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhooks,
  'apiregistration.k8s.io/APIService': {
    Service: 'The service that answers for this version, or Local for the API server itself.',
    Available: 'Whether it can be reached.',
  },
  'apps/ControllerRevision': { Controller: 'The object that the revision is of.' },
  'apps/DaemonSet': containers,
  'apps/Deployment': { Ready: 'How many pods are ready, and how many there should be.', ...containers },
  'apps/ReplicaSet': containers,
  'apps/StatefulSet': { Ready: 'How many pods are ready, and how many there should be.', ...containers },
  'batch/CronJob': containers,
  'batch/Job': {
    Status: 'Whether the job runs, is suspended, is complete or has failed.',
    Duration: 'How long the job took, or has taken until now.',
    ...containers,
  },
  'certificates.k8s.io/CertificateSigningRequest': {
    SignerName: 'The signer that is asked for a certificate.',
    Requestor: 'Who made the request.',
    Condition: 'Whether the request was approved or denied, and whether there is a certificate.',
  },
  'flowcontrol.apiserver.k8s.io/FlowSchema': { MissingPL: 'Whether there is no such priority level.' },
  'networking.k8s.io/Ingress': {
    Class: 'The ingress class, which says who looks after the ingress.',
    Hosts: 'The hosts that there are rules for.',
    Address: 'Where the load balancer takes requests.',
    Ports: 'The ports that are open; 443 where there is TLS.',
  },
  'networking.k8s.io/IngressClass': {
    Controller: 'Who looks after ingresses of this class.',
    Parameters: 'An object with parameters for the controller.',
  },
  'policy/PodDisruptionBudget': {
    'Min Available': 'How many pods must stay available.',
    'Max Unavailable': 'How many pods may be unavailable.',
    'Allowed Disruptions': 'How many pods may be evicted now.',
  },
  'rbac.authorization.k8s.io/ClusterRoleBinding': { Role: 'The cluster role that is given.', ...subjects },
  'rbac.authorization.k8s.io/RoleBinding': { Role: 'The role or cluster role that is given.', ...subjects },
  'resource.k8s.io/ResourceClaim': { State: 'Whether the claim waits, is allocated, is reserved or about to go.' },
  'resource.k8s.io/ResourcePoolStatusRequest': {
    Driver: 'The driver whose pools are asked for.',
    Total: 'How many devices there are in all pools.',
    Available: 'How many of them are free.',
    Allocated: 'How many of them are allocated.',
    Unavailable: 'How many of them cannot be used.',
    Errors: 'How many pools are not valid.',
    Pools: 'How many pools there are.',
    Status: 'Whether the request was answered.',
    Completed: 'How long ago it was answered.',
  },
  'storage.k8s.io/CSINode': { Drivers: 'How many CSI drivers there are on the node.' },
};
