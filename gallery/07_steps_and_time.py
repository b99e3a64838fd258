"""Steps and time

Gradient descent at four learning rates, and the gradient flow that it approximates. `flow_gap` measures the distance
between them, which is proportional to the learning rate.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=-1.0), lr.Problem(np.eye(2), [0.0, 1.0]))
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
rates = (0.4, 0.2, 0.1, 0.05)
gaps = []
for rate in rates:
    descent = lr.descend(flow, steps=round(8 / rate), lr=rate)
    left.plot(descent.times, descent.loss, ".-", markersize=3, linewidth=0.8, label=f"lr {rate:g}")
    gaps.append(lr.flow_gap(descent)["parameters"].max())
times = np.linspace(0, 8, 200)
left.plot(times, lr.exact(flow, times).loss, "k", label="flow")
left.set(xlabel="flow time = lr × steps", title="Loss", yscale="log")
left.legend()
right.plot([0, *rates], [0, *gaps], "o-")
right.set(xlabel="learning rate", title="Largest distance from the flow")
figure.savefig("07_steps_and_time.png")
