"""What can be looked at: names, an entity, its spheres, the model, the map of its vectors."""
