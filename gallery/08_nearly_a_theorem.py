"""What a broken hypothesis costs

The closed form of a neuron needs whitened inputs. Here one input is stretched. `explain` measures by how much, and
the closed form is wrong by at least as much. Therefore `exact` does not accept a defect of a thousandth.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

net = lr.inits.neuron([-0.5, 0.0], delta=-2.0)
times = np.linspace(0, 20, 101)
wrong = lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(2), [0.0, 1.0])), times)
defects, errors = [], []
for stretch in np.geomspace(1e-4, 0.3, 8):
    flow = lr.GradientFlow(net, lr.Problem(np.diag([1.0, 1.0 + stretch]), [0.0, 1.0 + stretch]))
    defects.append(lr.explain(flow).defects[0]["whitened inputs"])
    errors.append(abs(lr.integrate(flow, times).beta - wrong.beta).max())

figure, axes = plt.subplots(figsize=(4.8, 3.4), layout="constrained")
axes.loglog(defects, errors, "o-", label="error of the formula")
axes.loglog(defects, defects, "k:", label="as large as the defect")
axes.set(xlabel="defect of 'whitened inputs'", ylabel="largest error of β")
axes.legend()
figure.savefig("08_nearly_a_theorem.png")
