// PCL's RANSAC and least squares from its headers, compiled here with the machine's own instructions.
#define PCL_NO_PRECOMPILE
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>
#include <pcl/sample_consensus/ransac.h>
#include <pcl/sample_consensus/sac_model_plane.h>

#include <pcl/sample_consensus/impl/ransac.hpp>
#include <pcl/sample_consensus/impl/sac_model_plane.hpp>

#include "tests/bench/peers.h"

namespace datum::bench {

PaperPlane fit_with_pcl(const std::vector<Xyz>& points) {
  using Cloud = pcl::PointCloud<pcl::PointXYZ>;
  const Cloud::Ptr cloud(new Cloud);
  cloud->reserve(points.size());
  for (const Xyz& p : points) cloud->push_back({p.x, p.y, p.z});
  const pcl::SampleConsensusModelPlane<pcl::PointXYZ>::Ptr model(
      new pcl::SampleConsensusModelPlane<pcl::PointXYZ>(cloud));
  pcl::RandomSampleConsensus<pcl::PointXYZ> ransac(model, 1.0);
  ransac.setProbability(0.999);
  ransac.setMaxIterations(1024);
  ransac.computeModel();
  pcl::Indices inliers;
  Eigen::VectorXf sampled, fitted;
  ransac.getInliers(inliers);
  ransac.getModelCoefficients(sampled);
  model->optimizeModelCoefficients(inliers, sampled, fitted);
  return {-double(fitted[0]) / fitted[2], -double(fitted[1]) / fitted[2], -double(fitted[3]) / fitted[2]};
}

}  // namespace datum::bench
