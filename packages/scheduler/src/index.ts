/** `@coxswain/scheduler`: kube-scheduler. */
export {};
