/** The reason and message with which a kubelet rejects a pod, as the pod's status has them. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}
