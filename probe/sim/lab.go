package sim

// LabModel is the id under which the engine that can be steered is asked.
const LabModel = "lab"
