package main

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"coxswain.dev/compat/eventually"
)

// tally counts the calls of an event handler.
type tally struct {
	lock  sync.Mutex
	count map[string]int
}

func (t *tally) add(what string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.count[what]++
}

func (t *tally) is(want map[string]int) error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if maps.Equal(t.count, want) {
		return nil
	}
	return fmt.Errorf("handlers received %v instead of %v", t.count, want)
}

func counting(informer cache.SharedIndexInformer) (*tally, error) {
	t := &tally{count: map[string]int{}}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { t.add("added") },
		UpdateFunc: func(any, any) { t.add("updated") },
		DeleteFunc: func(any) { t.add("deleted") },
	})
	return t, err
}

func informersFollow(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		// Controllers create ConfigMaps in every namespace; the label selects those of this check.
		ours := func(options *metav1.ListOptions) { options.LabelSelector = "of=judge" }
		ctx, stop := context.WithCancel(ctx)
		typed := informers.NewSharedInformerFactoryWithOptions(c.protobuf, 0,
			informers.WithNamespace(namespace), informers.WithTweakListOptions(ours))
		dynamics := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, namespace, ours)
		// No goroutine may outlive its check.
		defer func() { stop(); typed.Shutdown(); dynamics.Shutdown() }()
		resource := corev1.SchemeGroupVersion.WithResource("configmaps")
		var tallies []*tally
		for _, informer := range []cache.SharedIndexInformer{
			typed.Core().V1().ConfigMaps().Informer(), dynamics.ForResource(resource).Informer(),
		} {
			t, err := counting(informer)
			if err != nil {
				return err
			}
			tallies = append(tallies, t)
		}
		configMaps := c.protobuf.CoreV1().ConfigMaps(namespace)
		create := func(name string) error {
			meta := metav1.ObjectMeta{Name: name, Labels: map[string]string{"of": "judge"}}
			_, err := configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: meta}, metav1.CreateOptions{})
			return err
		}
		if err := create("before"); err != nil {
			return err
		}
		typed.Start(ctx.Done())
		dynamics.Start(ctx.Done())
		for kind, synced := range typed.WaitForCacheSync(ctx.Done()) {
			if !synced {
				return fmt.Errorf("the informer of %v is not in sync", kind)
			}
		}
		for kind, synced := range dynamics.WaitForCacheSync(ctx.Done()) {
			if !synced {
				return fmt.Errorf("the dynamic informer of %v is not in sync", kind)
			}
		}
		if err := create("after"); err != nil {
			return err
		}
		changed, err := configMaps.Get(ctx, "after", metav1.GetOptions{})
		if err != nil {
			return err
		}
		changed.Data = map[string]string{"a": "b"}
		if _, err := configMaps.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
			return err
		}
		if err := configMaps.Delete(ctx, "before", metav1.DeleteOptions{}); err != nil {
			return err
		}
		for _, t := range tallies {
			if err := eventually.NoError(ctx, func() error {
				return t.is(map[string]int{"added": 2, "updated": 1, "deleted": 1})
			}); err != nil {
				return err
			}
		}
		left, err := typed.Core().V1().ConfigMaps().Lister().ConfigMaps(namespace).List(labels.Everything())
		if err != nil || len(left) != 1 || left[0].Data["a"] != "b" {
			return fmt.Errorf("the lister has %v (%v)", left, err)
		}
		return nil
	})
}

// leadersFollow runs two candidates: the first leads until it stops, then the second.
func leadersFollow(ctx context.Context, c *cluster) error {
	return c.inNamespace(ctx, func(namespace string) error {
		ctx, stopAll := context.WithCancel(ctx)
		defer stopAll()
		leads := make(chan string, 2)
		run := func(ctx context.Context, identity string) error {
			elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
					Client:     c.protobuf.CoordinationV1(),
					LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
				},
				LeaseDuration:   8 * time.Second,
				RenewDeadline:   6 * time.Second,
				RetryPeriod:     500 * time.Millisecond,
				ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { leads <- identity },
					OnStoppedLeading: func() {},
				},
			})
			if err == nil {
				go elector.Run(ctx)
			}
			return err
		}
		next := func(want string) error {
			select {
			case who := <-leads:
				if who != want {
					return fmt.Errorf("%s leads, not %s", who, want)
				}
				return nil
			case <-ctx.Done():
				return fmt.Errorf("%s did not become the leader", want)
			}
		}
		firstCtx, stopFirst := context.WithCancel(ctx)
		defer stopFirst()
		if err := run(firstCtx, "first"); err != nil {
			return err
		}
		if err := next("first"); err != nil {
			return err
		}
		if err := run(ctx, "second"); err != nil {
			return err
		}
		stopFirst()
		if err := next("second"); err != nil {
			return err
		}
		lease, err := c.protobuf.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if *lease.Spec.HolderIdentity != "second" || *lease.Spec.LeaseTransitions < 1 {
			return fmt.Errorf("the lease has %v", lease.Spec)
		}
		return nil
	})
}
