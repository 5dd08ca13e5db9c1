// The view as a widget of a notebook: the document comes from Python, and where the reader stands goes both ways.
// Several may stand on one page; each has its keys only while the focus is within it.

import { mount } from "./view.js";

export default {
  async render({ model, el: cell }) {
    const root = document.createElement("div");
    root.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves the keys to us while the focus is here
    cell.append(root);
    const view = await mount(root, model.get("document"), {
      state: model.get("state"),
      onState: (state) => {
        model.set("state", state);
        model.save_changes();
      },
    });
    root.view = view;
    const follow = () => {
      const wanted = model.get("state");
      if (JSON.stringify(wanted) !== JSON.stringify(view.state)) view.show(wanted);
    };
    model.on("change:state", follow);
    return () => {
      model.off("change:state", follow);
      view.destroy();
    };
  },
};
