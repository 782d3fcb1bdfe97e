/** The Corefile that kubeadm installs. */
export const defaultCorefile = (clusterDomain = 'cluster.local'): string => `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes ${clusterDomain} in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success ${clusterDomain}
       disable denial ${clusterDomain}
    }
    loop
    reload
    loadbalance
}
`;
